package dev.tenure.internal.loop;

import dev.tenure.spi.BackendSession;
import dev.tenure.spi.Host;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Leaves a lost session. It may still stand in the store and hold its claims until they lapse; once nothing of it runs here
 * any more, letting go at once is safe and saves the others the wait. What took the session may keep the word from getting
 * through, so it is said again until it is answered, or until the store has surely let go by itself.
 */
final class Farewell {
    private final Engine engine;
    private final Host host;
    private Optional<BackendSession> lost = Optional.empty();
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
        lost = Optional.of(session);
        sayWhenDrained();
    }

    void sayWhenDrained() {
        lost.ifPresent(session -> {
            if (!over && !engine.runsUnder(session.id())) {
                lost = Optional.empty();
                long untilNanos = host.nanos() + session.ttl().toNanos();
                say(session, untilNanos, failure -> engine.troubled("closing a lost session", failure));
            }
        });
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
