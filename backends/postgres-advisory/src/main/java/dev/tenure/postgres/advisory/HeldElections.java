package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.Stages;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The elections that a session holds, all of them on one connection: the one that works. Loop-confined.
 *
 * <p>A lock whose row somebody has deleted or changed by hand is orphaned. Its term is over, but as long as the lock is held
 * nobody else can begin one: so whoever led by it is told first, and its lock is freed by the release that follows when its duty
 * has ended. Who does not release has it freed by a heartbeat, half a TTL after it was told: rather two who work, of whom one
 * knows that it must not write any more, than an election that nobody can win.
 */
final class HeldElections {
    /** Those who hear of a change must not get into the way of the one who has won. */
    private static final long ANNOUNCE_NANOS = 2_000_000;

    private final AdvisoryBackend.Context context;
    private final AdvisorySession.Info me;
    private final SessionEvents events;
    private final Consumer<String> lost;
    private final Map<ElectionName, Held> held = new HashMap<>();
    private final Map<ElectionName, Long> toldNanos = new HashMap<>();
    private LockConnection working;

    /** @param orphanedNanos since when its row is known to be gone, although the connection has the lock */
    record Held(ClaimReply.Granted grant, OptionalLong orphanedNanos) {
        boolean isOrphaned() {
            return orphanedNanos.isPresent();
        }
    }

    HeldElections(
            AdvisoryBackend.Context context,
            AdvisorySession.Info me,
            SessionEvents events,
            LockConnection working,
            Consumer<String> lost) {
        this.context = context;
        this.me = me;
        this.events = events;
        this.working = working;
        this.lost = lost;
        watch(working);
    }

    /** The end of the connection that works is the end of the session. */
    private void watch(LockConnection connection) {
        connection.whenEnded(why -> context.host().post(() -> {
            if (connection == working) {
                lost.accept(why);
            }
        }));
    }

    /** For statements; asked at each use, because it changes. */
    LockConnection working() {
        return working;
    }

    /** Another connection has won while nothing was held: it works from now on. Returns the one that did. */
    LockConnection changeTo(LockConnection winner) {
        LockConnection idle = working;
        working = winner;
        watch(winner);
        return idle;
    }

    Optional<Held> find(ElectionName election) {
        return Optional.ofNullable(held.get(election));
    }

    Optional<Held> find(ElectionName election, Nonce nonce) {
        return find(election).filter(one -> one.grant.nonce().equals(nonce) && !one.isOrphaned());
    }

    boolean has(ElectionName election) {
        return held.containsKey(election);
    }

    boolean hasAll(Collection<ElectionName> elections) {
        return held.keySet().containsAll(elections);
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    void won(ClaimSql.Outcome.Won won) {
        held.put(won.request().election(), new Held(won.grant(), OptionalLong.empty()));
    }

    void remove(ElectionName election) {
        held.remove(election);
    }

    CompletableFuture<Boolean> holds(Term term) {
        return find(term.election(), term.nonce())
                .filter(mine -> mine.grant.token().equals(term.token()))
                .map(mine -> working.run(connection -> context.elections().holds(connection, me, term)))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    /** In a statement of its own, a moment later. A hint that is lost is made up for by the poll. */
    void announce(String what, List<String> elections) {
        if (!elections.isEmpty()) {
            context.host()
                    .wakeAt(
                            context.host().nanos() + ANNOUNCE_NANOS,
                            () -> Stages.ignore(
                                    "announcing",
                                    working.run(connection -> context.claims().announce(connection, what, elections))));
        }
    }

    /** Its term is over, but not its lock: that is kept until it is claimed again, released or let go. */
    void orphan(ElectionName election) {
        OptionalLong now = OptionalLong.of(context.host().nanos());
        held.computeIfPresent(election, (name, one) -> new Held(one.grant, now));
    }

    /** What a heartbeat did not find; it is found missing again until its lock is free. */
    void missing(Map<ElectionName, LockConnection.Holding> missing) {
        long nowNanos = context.host().nanos();
        toldNanos.keySet().retainAll(missing.keySet());
        Map<String, LockConnection.Holding> overdue = new HashMap<>();
        missing.forEach((election, holding) -> {
            Optional<Held> known = find(election);
            if (known.filter(one -> !isOverdue(one, nowNanos)).isEmpty()) {
                // Also if it cannot be freed now: the next heartbeat finds it again.
                known.ifPresent(one -> held.remove(election));
                overdue.put(election.encoded(), holding);
            } else if (!known.get().isOrphaned()) {
                orphan(election);
            }
            tell(election, nowNanos);
        });
        if (!overdue.isEmpty()) {
            LockConnection on = working;
            Stages.ignore(
                    "letting go of a lock",
                    on.run(connection -> ClaimSql.letGo(on, connection, overdue))
                            .thenAccept(names -> announce("r ", names)));
        }
    }

    private boolean isOverdue(Held one, long nowNanos) {
        return one.isOrphaned()
                && nowNanos - one.orphanedNanos.getAsLong() >= me.ttl().toNanos() / 2;
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
}
