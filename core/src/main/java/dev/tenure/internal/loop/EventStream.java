package dev.tenure.internal.loop;

import dev.tenure.TenureEvent;
import dev.tenure.TenureListener;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Tells listeners what happened: one at a time, in order, off the loop. Calls without a thread of their own (the end of a
 * candidacy, say) go through the same stream, so they keep their order among the events.
 */
final class EventStream {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final int EVENTS_WAITING_MAX = 100_000;

    private final Host host;
    private final CopyOnWriteArrayList<TenureListener> listeners = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean delivering;
    private long dropped;

    EventStream(Host host) {
        this.host = host;
    }

    void listen(TenureListener listener) {
        listeners.add(listener);
    }

    void tell(TenureEvent event) {
        // Logging may block on a full pipe, so it is not done on the loop either.
        boolean logged = Transitions.isLogged(event);
        if (logged || !listeners.isEmpty()) {
            tell(logged, event);
        }
    }

    private void tell(boolean logged, TenureEvent event) {
        synchronized (waiting) {
            if (waiting.size() >= EVENTS_WAITING_MAX) {
                dropped++;
                if (Long.bitCount(dropped) == 1) {
                    LOG.log(Level.WARNING, "a listener is too slow: {0} events were dropped", dropped);
                }
                return;
            }
        }
        run(() -> {
            if (logged) {
                Transitions.log(event);
            }
            deliver(event);
        });
    }

    /** Somebody waits for this call, so it is never dropped; there are at most a few per candidacy. */
    void run(Runnable call) {
        synchronized (waiting) {
            waiting.add(call);
            if (delivering) {
                return;
            }
            delivering = true;
        }
        // Not at once: what the loop is about to send, or a duty that begins, must not wait for a core that writes a
        // log.
        host.post(() -> host.call(this::drain));
    }

    private void drain() {
        while (true) {
            Runnable next;
            synchronized (waiting) {
                next = waiting.poll();
                if (next == null) {
                    delivering = false;
                    return;
                }
            }
            try {
                next.run();
            } catch (RuntimeException | Error failure) {
                LOG.log(Level.WARNING, "a listener failed", failure);
            }
        }
    }

    private void deliver(TenureEvent event) {
        for (TenureListener listener : listeners) {
            try {
                listener.on(event);
            } catch (RuntimeException | Error failure) {
                LOG.log(Level.WARNING, "a listener failed on " + event, failure);
            }
        }
    }
}
