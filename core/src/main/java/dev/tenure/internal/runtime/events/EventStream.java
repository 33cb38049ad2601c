// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.events;

import dev.tenure.TenureEvent;
import dev.tenure.TenureListener;
import dev.tenure.spi.Host;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * Notifies listeners of what happened: each of them one event at a time, in order, off the loop. Every listener has a queue of its own,
 * and so has the log. A listener that blocks costs its own events, and nobody else's.
 */
public final class EventStream {
    private static final int EVENTS_WAITING_MAX = 100_000;

    private final Host host;
    private final Subscription log;
    private final List<Subscription> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;
    private volatile boolean detailed;

    private record Subscription(TenureListener listener, boolean detailed, SerialExecutor queue) {
        void deliver(TenureEvent event) {
            queue.execute(() -> listener.on(event));
        }
    }

    public EventStream(Host host) {
        this.host = host;
        // Logging may block on a full pipe, so it is not done on the loop either.
        this.log = subscription("the log", TransitionLog::log, false);
    }

    private Subscription subscription(String name, TenureListener listener, boolean details) {
        // Not at once: what the loop is about to send, or a duty that begins, must not wait for a core that writes a
        // log.
        return new Subscription(
                listener,
                details,
                new SerialExecutor(name, EVENTS_WAITING_MAX, host, calls -> host.post(() -> host.runCallback(calls))));
    }

    /** @param details it gets these too */
    public void listen(TenureListener listener, boolean details) {
        Subscription added =
                subscription("an event listener, " + listener.getClass().getName() + ",", listener, details);
        listeners.add(added);
        if (details) {
            detailed = true;
        }
        if (closed) {
            added.queue().discard();
        }
    }

    public void publish(TenureEvent event) {
        if (TransitionLog.isLogged(event)) {
            log.deliver(event);
        }
        listeners.forEach(listener -> listener.deliver(event));
    }

    /** Made only if there is a listener for it. */
    public void publish(Supplier<TenureEvent.Detail> detail) {
        if (detailed) {
            TenureEvent.Detail told = detail.get();
            listeners.stream().filter(Subscription::detailed).forEach(listener -> listener.deliver(told));
        }
    }

    /** Delivers what was reported before, as far as that is done by then; nothing is delivered after it has returned. */
    public void close(long untilNanos) {
        closed = true;
        listeners.forEach(listener -> listener.queue().close(host, untilNanos));
        log.queue().close(host, untilNanos);
    }
}
