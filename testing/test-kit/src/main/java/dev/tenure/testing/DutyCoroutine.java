// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.spi.Host;
import dev.tenure.testing.internal.Coroutine;
import org.jspecify.annotations.Nullable;

/** User code on a node: a coroutine that is resumed by events of its node, and so is held back or dropped with them. */
final class DutyCoroutine implements Host.Work, VirtualSignal.Waiter {
    private static final ThreadLocal<@Nullable DutyCoroutine> CURRENT = new ThreadLocal<>();

    private final VirtualHost host;
    private final Coroutine coroutine;
    private boolean waiting;
    private boolean wokenByInterrupt;
    private Host.@Nullable Timer timeout;

    DutyCoroutine(VirtualHost host, String name, Runnable userCode) {
        this.host = host;
        this.coroutine = new Coroutine(host.name() + "/" + name, () -> {
            CURRENT.set(this);
            userCode.run();
        });
    }

    /** The strand whose thread is calling, or null. */
    static @Nullable DutyCoroutine current() {
        return CURRENT.get();
    }

    boolean isOf(VirtualTime time) {
        return host.time() == time;
    }

    /** Runs until it waits or ends. */
    void run() {
        VirtualTime time = host.time();
        Thread driver = time.handBatonTo(coroutine.thread());
        try {
            coroutine.resume();
        } finally {
            time.handBatonTo(driver);
            if (coroutine.hasEnded()) {
                host.ended(this);
            }
        }
    }

    /** Waits in virtual time, on the clock of the node it runs on. Called by the strand itself. */
    void waitFor(VirtualSignal signal, long nanos) throws InterruptedException {
        signal.enlist(this);
        waiting = true;
        long nowNanos = host.nanos();
        long deadlineNanos = nowNanos + nanos;
        if (deadlineNanos > nowNanos) {
            timeout = host.arm(deadlineNanos, this::wake);
        }
        coroutine.park();
        signal.dismiss(this);
        // A wait that was over before the interrupt came has succeeded; the status then stays set for the next one.
        if (wokenByInterrupt) {
            wokenByInterrupt = false;
            Thread.interrupted();
            throw new InterruptedException();
        }
    }

    @Override
    public void wake() {
        if (waiting) {
            waiting = false;
            Host.Timer armed = timeout;
            if (armed != null) {
                armed.cancel();
                timeout = null;
            }
            host.enqueue(this::run);
        }
    }

    @Override
    public void interrupt() {
        if (!coroutine.hasEnded()) {
            coroutine.thread().interrupt();
            host.time().withBaton(() -> {
                wokenByInterrupt = waiting;
                wake();
            });
        }
    }

    void unwind() {
        VirtualTime time = host.time();
        Thread driver = time.handBatonTo(coroutine.thread());
        try {
            coroutine.unwind();
        } finally {
            time.handBatonTo(driver);
        }
    }
}
