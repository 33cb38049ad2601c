package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Host;
import dev.tenure.spi.RenewReply.LostClaim;
import dev.tenure.spi.support.Stages;
import java.util.ArrayList;
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
    private final Consumer<String> lost;
    private final Map<ElectionName, Held> held = new HashMap<>();
    private LockConnection working;

    /** @param orphanedNanos since when its row is known to be gone, although the connection has the lock */
    record Held(ClaimReply.Granted grant, OptionalLong orphanedNanos) {
        boolean isOrphaned() {
            return orphanedNanos.isPresent();
        }
    }

    HeldElections(
            AdvisoryBackend.Context context, AdvisorySession.Info me, LockConnection working, Consumer<String> lost) {
        this.context = context;
        this.me = me;
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
        Host host = context.host();
        LockConnection.Work<Boolean> work = connection -> context.claims().announce(connection, what, elections);
        if (!elections.isEmpty()) {
            host.wakeAt(host.nanos() + ANNOUNCE_NANOS, () -> Stages.ignore("announcing", working.run(work)));
        }
    }

    /** Its term is over, but not its lock: that is kept until it is claimed again, released or let go. */
    void orphan(ElectionName election) {
        OptionalLong now = OptionalLong.of(context.host().nanos());
        held.computeIfPresent(election, (name, one) -> new Held(one.grant, now));
    }

    /** What a heartbeat did not find; it is found missing again until its lock is free. */
    List<LostClaim> missing(Map<ElectionName, LockConnection.Holding> missing) {
        List<LostClaim> lostClaims = new ArrayList<>();
        Map<String, LockConnection.Holding> overdue = new HashMap<>();
        missing.forEach((election, holding) -> {
            lostClaims.add(new LostClaim(election, new Nonce(holding.nonceHigh(), holding.nonceLow())));
            Optional<Held> known = find(election);
            if (known.filter(one -> !isOverdue(one)).isEmpty()) {
                held.remove(election); // also if it cannot be freed now: the next heartbeat finds it again
                overdue.put(election.encoded(), holding);
            } else if (!known.get().isOrphaned()) {
                orphan(election);
            }
        });
        if (!overdue.isEmpty()) {
            LockConnection on = working;
            Stages.ignore(
                    "letting go of a lock",
                    on.run(connection -> ClaimSql.letGo(on, connection, overdue))
                            .thenAccept(names -> announce("r ", names)));
        }
        return lostClaims;
    }

    private boolean isOverdue(Held one) {
        return one.isOrphaned()
                && context.host().nanos() - one.orphanedNanos.getAsLong()
                        >= me.ttl().toNanos() / 2;
    }
}
