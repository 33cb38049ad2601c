package dev.tenure.internal.lease;

import dev.tenure.internal.engine.Timing;
import dev.tenure.spi.Host;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Judges whether other sessions are still alive. Loop-confined.
 *
 * <p>A session is silent when the store says, by its own time, that its record has expired; or when its version has stood
 * unchanged for the holder's own TTL times (1 + ε) on this process's monotonic clock, counted from the receipt of the
 * first read that showed it. The holder stops by {@code sent + ttl·(1 − ε)} on its clock, so for any rate error up to ε
 * on each side the two do not meet. No wall clock takes part.
 *
 * <p>Rule R1: a silent session is evicted, by a compare-and-set on its own record, before any of its claims is taken.
 * From then on its renewals are refused, so it cannot come back to a claim that was given away.
 */
final class Rivals {
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

    private final LoopStore store;
    private final Host host;
    private final Map<String, Sighting> sightings = new HashMap<>();

    Rivals(LoopStore store, Host host) {
        this.store = store;
        this.host = host;
    }

    private record Sighting(String version, long sinceNanos, long aliveUntilNanos) {}

    CompletableFuture<Verdict> look(String session) {
        Sighting seen = sightings.get(session);
        if (seen != null && host.nanos() - seen.aliveUntilNanos < 0) {
            return CompletableFuture.completedFuture(new Verdict.Alive(seen.aliveUntilNanos));
        }
        return store.read(SessionRecord.key(session)).thenApply(stored -> judge(session, stored));
    }

    /** Looks, and evicts a silent session: afterwards it is alive, or its claims are free. */
    CompletableFuture<Verdict> lookAndEvict(String session) {
        return look(session).thenCompose(verdict -> {
            if (verdict instanceof Verdict.Silent silent) {
                SessionRecord evicted = SessionRecord.of(silent.stored).evicted();
                return store.set(silent.stored, evicted.text(), evicted.ttl()).thenApply(reply -> {
                    if (reply instanceof WriteReply.Refused refused) {
                        return judge(session, refused.current());
                    }
                    sightings.remove(session);
                    return new Verdict.Evicted();
                });
            }
            return CompletableFuture.completedFuture(verdict);
        });
    }

    Verdict judge(String session, Versioned stored) {
        if (!stored.isPresent()) {
            sightings.remove(session);
            return new Verdict.Vanished();
        }
        SessionRecord record = SessionRecord.of(stored);
        if (record.state() == SessionRecord.State.EVICTED) {
            sightings.remove(session);
            return new Verdict.Evicted();
        }
        long nowNanos = host.nanos();
        long ttlNanos = record.ttl().toNanos();
        long silentAfterNanos = (long) (ttlNanos * (1 + Timing.DRIFT));
        String version = stored.version().orElseThrow();
        Sighting seen = sightings.get(session);
        long sinceNanos = seen != null && seen.version.equals(version) ? seen.sinceNanos : nowNanos;
        if (stored.hasExpired() || nowNanos - sinceNanos >= silentAfterNanos) {
            return new Verdict.Silent(stored);
        }
        long storeLeftNanos = stored.life().isPresent() ? stored.life().get().toNanos() : ttlNanos / 4;
        long recheckNanos = nowNanos + Math.min(storeLeftNanos, sinceNanos + silentAfterNanos - nowNanos);
        // Looked at a moment ago and alive: thousands of claims held by one session need not all read it again.
        long aliveUntilNanos = Math.min(recheckNanos, nowNanos + ttlNanos / 20);
        remember(session, new Sighting(version, sinceNanos, aliveUntilNanos));
        return new Verdict.Alive(recheckNanos);
    }

    private void remember(String session, Sighting sighting) {
        if (sightings.size() >= SIGHTINGS_MAX) {
            sightings.clear(); // only makes takeovers slower: every clock of silence starts again
        }
        sightings.put(session, sighting);
    }
}
