// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A signal in virtual time. What waiting does depends on who waits: a duty parks; the thread that drives time goes on
 * driving it; any other thread really blocks, until somebody drives time far enough.
 */
final class VirtualSignal implements Host.Signal {
    /** Something that waits. Called by the holder of the baton. */
    @FunctionalInterface
    interface Waiter {
        void wake();
    }

    private final VirtualHost host;
    private final List<Waiter> waiters = new ArrayList<>(0);
    private volatile boolean set;

    VirtualSignal(VirtualHost host) {
        this.host = host;
    }

    @Override
    public void set() {
        set = true;
        host.time().withBaton(() -> {
            List<Waiter> woken = List.copyOf(waiters);
            waiters.clear();
            woken.forEach(Waiter::wake);
        });
    }

    @Override
    public boolean isSet() {
        return set;
    }

    @Override
    public boolean await(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (set || nanos <= 0) {
            return set;
        }
        VirtualTime time = host.time();
        DutyCoroutine coroutine = DutyCoroutine.current();
        if (coroutine != null && coroutine.isOf(time)) {
            coroutine.waitFor(this, nanos);
        } else if (time.hasBaton()) {
            drive(time, nanos);
        } else {
            block(time, nanos);
        }
        return set;
    }

    void enlist(Waiter waiter) {
        waiters.add(waiter);
    }

    void dismiss(Waiter waiter) {
        waiters.remove(waiter);
    }

    private void drive(VirtualTime time, long nanos) {
        if (time.isInEvent()) {
            throw new IllegalStateException(
                    "node " + host.name() + " would wait inside an event, where nothing can happen"
                            + " meanwhile; code that waits runs in perform");
        }
        long nowNanos = host.nanos();
        long deadlineNanos = nowNanos + nanos < nowNanos ? Long.MAX_VALUE : nowNanos + nanos;
        VirtualTime.@Nullable Event alarm = alarm(time, deadlineNanos, () -> {});
        while (!set && host.nanos() < deadlineNanos && time.runNext()) {}
        if (alarm != null) {
            alarm.cancel();
        }
    }

    private void block(VirtualTime time, long nanos) throws InterruptedException {
        CountDownLatch woken = new CountDownLatch(1);
        Waiter waiter = woken::countDown;
        time.withBaton(() -> {
            if (set) {
                woken.countDown();
                return;
            }
            waiters.add(waiter);
            alarm(time, host.nanos() + nanos, woken::countDown);
        });
        woken.await();
        time.withBaton(() -> waiters.remove(waiter));
    }

    /** Goes off even while the node is paused, so that code that waits outside of it is not held back with it. */
    private VirtualTime.@Nullable Event alarm(VirtualTime time, long deadlineNanos, Runnable action) {
        long worldNanos = host.clock().worldNanosAt(deadlineNanos);
        return worldNanos == Long.MAX_VALUE ? null : time.at(worldNanos, action);
    }
}
