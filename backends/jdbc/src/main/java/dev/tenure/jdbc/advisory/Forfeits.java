package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.SessionEvents;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Locks whose row somebody has deleted or changed by hand. Such a term is over, but as long as the lock is held nobody else
 * can begin one: so whoever led by it is told first, and its lock is freed by the release that follows when its duty has
 * ended. Who does not release has it freed by a heartbeat, half a TTL after it was told: rather two who work, of whom one knows
 * that it must not write any more, than an election that nobody can win. Loop-confined.
 */
final class Forfeits {
    private final AdvisoryBackend.Store store;
    private final Member me;
    private final SessionEvents events;
    private final Roster roster;
    private final Herald herald;
    private final Map<ElectionName, Long> toldNanos = new HashMap<>();

    Forfeits(AdvisoryBackend.Store store, Member me, SessionEvents events, Roster roster, Herald herald) {
        this.store = store;
        this.me = me;
        this.events = events;
        this.roster = roster;
        this.herald = herald;
    }

    /** What a heartbeat on this line did not find; it is found missing again until its lock is free. */
    void found(Line line, Map<ElectionName, Line.Holding> missing) {
        long nowNanos = store.host().nanos();
        toldNanos.keySet().retainAll(missing.keySet());
        Map<String, Line.Holding> overdue = new HashMap<>();
        missing.forEach((election, holding) -> {
            Optional<Roster.Seat> seat = roster.seat(election).filter(known -> known.line() == line);
            if (seat.filter(known -> !isOverdue(known, nowNanos)).isEmpty()) {
                // Also if it cannot be freed now: the next heartbeat finds it again.
                seat.ifPresent(known -> roster.remove(election));
                overdue.put(election.encoded(), holding);
            } else if (!seat.get().isForfeit()) {
                roster.forfeit(election, nowNanos);
            }
            tell(election, nowNanos);
        });
        if (!overdue.isEmpty()) {
            letGo(line, overdue);
        }
    }

    /**
     * It asks whether it still holds, and it does not. Told again, because a question that was asked before may have hidden
     * it, but no more often than an ordinary heartbeat comes: whoever is told asks for one at once.
     */
    private void tell(ElectionName election, long nowNanos) {
        Long lastNanos = toldNanos.get(election);
        if (lastNanos == null || nowNanos - lastNanos >= me.ttl().toNanos() / 4) {
            toldNanos.put(election, nowNanos);
            events.changed(election);
        }
    }

    private boolean isOverdue(Roster.Seat seat, long nowNanos) {
        return seat.isForfeit()
                && nowNanos - seat.forfeitNanos().getAsLong() >= me.ttl().toNanos() / 2;
    }

    private void letGo(Line line, Map<String, Line.Holding> overdue) {
        Aside.run(
                "letting go of a lock",
                store.onLoop(line.run(connection -> Claims.letGo(line, connection, overdue)))
                        .thenAccept(names -> herald.released(line, names)));
    }
}
