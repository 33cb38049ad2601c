package dev.tenure.internal.loop;

import dev.tenure.spi.BackendSession;
import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Leaves a lost session. It may still stand in the store and hold its claims until they lapse; once nothing of it runs here
 * any more, letting go at once is safe and saves the others the wait. What took the session may keep the word from getting
 * through, so it is said again until it is answered, or until the store has surely let go by itself.
 */
final class Farewell {
    private final Engine engine;
    private final Host host;
    /** Those under which a duty still runs; without one they are left at once. */
    private final List<BackendSession> lost = new ArrayList<>();

    private boolean over;

    Farewell(Engine engine, Host host) {
        this.engine = engine;
        this.host = host;
    }

    /** The client is closed: from now on nothing is sent. */
    void close() {
        over = true;
    }

    void to(BackendSession session) {
        lost.add(session);
        sayWhenDrained();
    }

    void sayWhenDrained() {
        if (over || lost.isEmpty()) {
            return;
        }
        List<BackendSession> drained =
                lost.stream().filter(session -> !engine.runsUnder(session.id())).toList();
        lost.removeAll(drained);
        drained.forEach(this::say);
    }

    private void say(BackendSession session) {
        long untilNanos = host.nanos() + session.ttl().toNanos();
        say(session, untilNanos, failure -> engine.troubled("closing a lost session", failure));
    }

    private void sayAgain(BackendSession session, long untilNanos) {
        if (!over) {
            say(session, untilNanos, failure -> {});
        }
    }

    /** Only the first failure is told: those who are without a store hear of it often enough. */
    private void say(BackendSession session, long untilNanos, Consumer<Throwable> whenFailed) {
        Replies.of(host, session::close, done -> {}, failure -> {
            whenFailed.accept(failure);
            long againNanos = host.nanos() + session.ttl().dividedBy(10).toNanos();
            if (!over && untilNanos - againNanos > 0) {
                host.wakeAt(againNanos, () -> sayAgain(session, untilNanos));
            }
        });
    }
}
