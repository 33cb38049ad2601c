// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.internal.engine.Timing;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Judges whether other sessions are still alive. Loop-confined.
 *
 * <p>A session is silent when the store reports, by its own time, that its record has expired. It is also silent when its
 * version has stood unchanged for the holder's own TTL times (1 + ε) on this process's monotonic clock, counted from the
 * receipt of the first read that showed it. The holder stops by {@code sent + ttl·(1 − ε)} on its clock, so
 * for any rate error up to ε on each side the two do not meet. No wall clock takes part.
 *
 * <p>Rule R1: a silent session is evicted, by a compare-and-set on its own record, before any of its claims is taken.
 * From then on its renewals are refused, so it cannot come back to a claim that was given away.
 */
final class PeerSessions {
    private static final Logger LOG = System.getLogger("dev.tenure");

    /** What is known of another session. */
    sealed interface Verdict {
        /** @param recheckNanos when it makes sense to look again */
        record Alive(long recheckNanos) implements Verdict {}

        record Silent(Versioned stored) implements Verdict {}

        /** Evicted by somebody after it had been silent. */
        record Evicted() implements Verdict {}

        /** No record: closed, or deleted by hand, or removed by the store. */
        record Vanished() implements Verdict {}
    }

    private static final int SIGHTINGS_MAX = 10_000;
    /** In a crowd of more than these, each of them looks around less often. */
    private static final int CROWD = 50;

    private final LoopStore store;
    private final Host host;
    private final Map<String, LastSeen> lastSeens = new HashMap<>();
    /** The living as they were last seen together. */
    private List<SessionRecord> living = List.of();

    private long nextListNanos;

    private record LastSeen(String version, long sinceNanos, long aliveUntilNanos, long recheckNanos) {}

    PeerSessions(LoopStore store, Host host) {
        this.store = store;
        this.host = host;
        this.nextListNanos = host.nanos();
    }

    CompletableFuture<Verdict> look(String session) {
        LastSeen seen = lastSeens.get(session);
        if (seen != null && host.nanos() - seen.aliveUntilNanos < 0) {
            return CompletableFuture.completedFuture(new Verdict.Alive(seen.recheckNanos));
        }
        return store.read(SessionRecord.key(session)).thenApply(stored -> judge(session, stored));
    }

    /**
     * Reads all of them together, unless that was done a while ago. Without notifications there is no crowd that is notified of
     * a change, so no candidate has to know which one acts first.
     */
    CompletableFuture<Void> lookAround(long everyNanos) {
        if (!store.notifies() || host.nanos() - nextListNanos < 0) {
            return CompletableFuture.completedFuture(null);
        }
        nextListNanos = host.nanos() + everyNanos * Math.max(1, living.size() / CROWD);
        return store.list(SessionRecord.PREFIX).thenAccept(this::judgeAll);
    }

    /**
     * Is it time that a renewal of this session looks at all of them? A little early, so that nobody else has to; and in a crowd
     * never, because a renewal must not be held up.
     */
    boolean listsWithRenewal(long everyNanos) {
        long nowNanos = host.nanos();
        boolean due = store.notifies() && living.size() <= CROWD && nextListNanos - nowNanos <= everyNanos / 2;
        if (due) {
            nextListNanos = nowNanos + everyNanos;
        }
        return due;
    }

    /** A session that cannot be read is left out. */
    Map<String, Verdict> judgeAll(List<Versioned> sessions) {
        Map<String, Verdict> verdicts = new HashMap<>();
        List<SessionRecord> alive = new ArrayList<>();
        for (Versioned stored : sessions) {
            String id = SessionRecord.idOf(stored);
            try {
                Verdict verdict = judge(id, stored);
                verdicts.put(id, verdict);
                if (verdict instanceof Verdict.Alive) {
                    alive.add(SessionRecord.of(stored));
                }
            } catch (BackendException corrupt) {
                LOG.log(Level.DEBUG, "a session that cannot be judged", corrupt);
            }
        }
        lastSeens.keySet().retainAll(verdicts.keySet());
        living = alive;
        return verdicts;
    }

    /**
     * How many of the living, as far as they are known, come before this one when the holder lets go. By chance, and for each
     * term anew, but all processes that know the same come to the same result.
     */
    int rank(String session, ElectionName election, ExpiryTimers.Holder holder) {
        long own = weight(session, election, holder.token());
        return (int) living.stream()
                .filter(other -> !other.id().equals(holder.session()) && other.mayStandIn(election))
                .filter(other -> weight(other.id(), election, holder.token()) < own)
                .count();
    }

    private static long weight(String session, ElectionName election, long token) {
        long mixed = (session.hashCode() * 31L + election.hashCode()) * 31 + token;
        mixed = (mixed ^ (mixed >>> 32)) * 0x9E3779B97F4A7C15L;
        return (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
    }

    /** Reads the session when the recheck time of its last read has come, and evicts it if it is silent. */
    CompletableFuture<Verdict> lookWhenDue(String session) {
        LastSeen seen = lastSeens.get(session);
        return seen != null && host.nanos() - seen.recheckNanos < 0
                ? CompletableFuture.completedFuture(new Verdict.Alive(seen.recheckNanos))
                : lookAndEvict(session);
    }

    /** Looks, and evicts a silent session: afterwards it is alive, or its claims are free. */
    CompletableFuture<Verdict> lookAndEvict(String session) {
        return look(session).thenCompose(verdict -> evictIfSilent(session, verdict));
    }

    private CompletableFuture<Verdict> evictIfSilent(String session, Verdict verdict) {
        if (!(verdict instanceof Verdict.Silent silent)) {
            return CompletableFuture.completedFuture(verdict);
        }
        SessionRecord evicted = SessionRecord.of(silent.stored).evicted();
        return store.set(silent.stored, evicted.text(), evicted.ttl()).thenCompose(reply -> {
            if (reply instanceof WriteReply.Refused refused) {
                // One that renewed once more and is silent again could renew on: R1 wants it evicted as it stands now.
                return evictIfSilent(session, judge(session, refused.current()));
            }
            lastSeens.remove(session);
            return CompletableFuture.completedFuture(new Verdict.Evicted());
        });
    }

    Verdict judge(String session, Versioned stored) {
        if (!stored.isPresent()) {
            lastSeens.remove(session);
            return new Verdict.Vanished();
        }
        SessionRecord record = SessionRecord.of(stored);
        if (record.state() == SessionRecord.State.EVICTED) {
            lastSeens.remove(session);
            return new Verdict.Evicted();
        }
        long nowNanos = host.nanos();
        long ttlNanos = record.ttl().toNanos();
        long silentAfterNanos = (long) (ttlNanos * (1 + Timing.DRIFT));
        String version = stored.version().orElseThrow();
        LastSeen seen = lastSeens.get(session);
        long sinceNanos = seen != null && seen.version.equals(version) ? seen.sinceNanos : nowNanos;
        if (stored.hasExpired() || nowNanos - sinceNanos >= silentAfterNanos) {
            return new Verdict.Silent(stored);
        }
        long storeLeftNanos = stored.life().isPresent() ? stored.life().get().toNanos() : ttlNanos / 4;
        long recheckNanos = nowNanos + Math.min(storeLeftNanos, sinceNanos + silentAfterNanos - nowNanos);
        // Looked at a moment ago and alive: thousands of claims held by one session need not all read it again.
        long aliveUntilNanos = Math.min(recheckNanos, nowNanos + ttlNanos / 20);
        remember(session, new LastSeen(version, sinceNanos, aliveUntilNanos, recheckNanos));
        return new Verdict.Alive(recheckNanos);
    }

    private void remember(String session, LastSeen lastSeen) {
        if (lastSeens.size() >= SIGHTINGS_MAX) {
            lastSeens.clear(); // only makes takeovers slower: every clock of silence starts again
        }
        lastSeens.put(session, lastSeen);
    }
}
