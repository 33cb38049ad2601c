package dev.tenure.internal.runtime;

import dev.tenure.spi.BackendSession;
import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.List;

/**
 * Leaves a lost session. It may still stand in the store and hold its claims until they lapse; once nothing of it runs here
 * any more, letting go at once is safe and saves the others the wait. What took the session may keep the call from getting
 * through, so it is repeated until it is answered, or until the store has surely let go by itself.
 */
final class LostSessionCloser {
    private final Engine engine;
    private final Host host;
    /** Those under which a duty still runs; without one they are left at once. */
    private final List<BackendSession> lost = new ArrayList<>();

    private boolean over;

    LostSessionCloser(Engine engine, Host host) {
        this.engine = engine;
        this.host = host;
    }

    /** The client is closed: from now on nothing is sent. */
    void close() {
        over = true;
    }

    void add(BackendSession session) {
        lost.add(session);
        closeWhenDrained();
    }

    void closeWhenDrained() {
        if (over || lost.isEmpty()) {
            return;
        }
        List<BackendSession> drained =
                lost.stream().filter(session -> !engine.runsUnder(session.id())).toList();
        lost.removeAll(drained);
        drained.forEach(session -> close(session, host.nanos() + session.ttl().toNanos(), true));
    }

    /** Only the first failure is reported: candidates that are without a store are notified of it often enough. */
    private void close(BackendSession session, long untilNanos, boolean first) {
        BackendCalls.of(host, session::close, done -> {}, failure -> {
            if (first) {
                engine.troubled("closing a lost session", failure);
            }
            long againNanos = host.nanos() + session.ttl().dividedBy(10).toNanos();
            if (!over && untilNanos - againNanos > 0) {
                host.wakeAt(againNanos, () -> {
                    if (!over) {
                        close(session, untilNanos, false);
                    }
                });
            }
        });
    }
}
