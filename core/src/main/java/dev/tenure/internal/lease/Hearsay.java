package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.Versioned;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What hints have told of claims that this session waits for. Loop-confined.
 *
 * <p>It proves nothing: a hint may be late, and whoever can notify can make one up. A claim that is told to be vacant may be
 * tried at once all the same, because the store compares what was told with what stands. One that is told to be held need not
 * be looked at just now; but nobody goes by word alone for longer than half a TTL, so that the poll behind every hint stays one.
 */
final class Hearsay {
    private static final int HEARD_LATELY_PER_TTL = 4;
    private static final int WITHOUT_LOOK_PER_TTL = 2;

    private final Host host;
    private final long ttlNanos;
    private final Map<ElectionName, Heard> heard = new HashMap<>();
    private final Map<ElectionName, Long> unlookedSinceNanos = new HashMap<>();

    Hearsay(Host host, long ttlNanos) {
        this.host = host;
        this.ttlNanos = ttlNanos;
    }

    /** A claim as it was told. */
    record Told(Versioned stored, ClaimRecord claim) {
        boolean isVacant() {
            return claim.state() == ClaimRecord.State.VACANT;
        }
    }

    /** Not read before somebody goes by it: thousands may be told at once. */
    private record Heard(Versioned stored, long nanos) {}

    void hear(ElectionName election, Versioned stored) {
        heard.put(election, new Heard(stored, host.nanos()));
    }

    /** Empty if nobody can read it, or claim above it: then it is no more than a hint. */
    static Optional<ClaimRecord> claimIn(Versioned stored) {
        try {
            return Optional.of(ClaimRecord.of(stored)).filter(claim -> claim.token() < Long.MAX_VALUE);
        } catch (BackendException garbled) {
            return Optional.empty();
        }
    }

    /** What was told since the last time, if it can be gone by. */
    Optional<Told> take(ElectionName election) {
        Heard last = heard.remove(election);
        return last == null
                ? Optional.empty()
                : claimIn(last.stored)
                        .map(claim -> new Told(last.stored, claim))
                        .filter(told -> told.isVacant() || (isRecent(last) && mayGoByWord(election)));
    }

    /** Was it told lately that this is how the claim was written? */
    boolean isNews(ElectionName election, Versioned found) {
        Heard last = heard.get(election);
        return last != null && last.stored.version().equals(found.version()) && isRecent(last) && mayGoByWord(election);
    }

    private boolean isRecent(Heard last) {
        return host.nanos() - last.nanos < ttlNanos / HEARD_LATELY_PER_TTL;
    }

    private boolean mayGoByWord(ElectionName election) {
        long sinceNanos = unlookedSinceNanos.computeIfAbsent(election, first -> host.nanos());
        return host.nanos() - sinceNanos < ttlNanos / WITHOUT_LOOK_PER_TTL;
    }

    /** The store itself was asked who holds it, and whether that one is alive. */
    void looked(ElectionName election) {
        unlookedSinceNanos.remove(election);
    }

    void forgetAll() {
        heard.clear();
    }

    void forget(ElectionName election) {
        heard.remove(election);
        unlookedSinceNanos.remove(election);
    }
}
