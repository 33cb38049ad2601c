// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import java.util.HashMap;
import java.util.Map;

/**
 * What the store has lost, and which tokens may therefore be issued again or out of order.
 *
 * <p>Revisions go back with the store. A token that a process counts by the store's clock grows over a loss, as long as that
 * clock is not behind the one by which the lost token was counted. A process that was shown the clock, and then stood still
 * or was not heard, counts by a clock of before: it knows no better, and the floor and the fence refuse. A process that
 * was shown the clock after the lost token was granted is excused by nothing.
 */
final class LostWrites {
    private static final long NEVER = Long.MIN_VALUE;

    private record Counted(Nonce nonce, long token) {}

    private final boolean tokensByRevision;
    /** When the store served what the process had last been shown of its clock when it sent this claim. */
    private final Map<Counted, Long> clockNanosOf = new HashMap<>();

    private final Map<Integer, Long> clockShownNanos = new HashMap<>();
    private long forgotNanos = NEVER;
    private boolean clockWentBack;
    private boolean eraRaised;

    LostWrites(boolean tokensByRevision) {
        this.tokensByRevision = tokensByRevision;
    }

    void forgot(long nanos) {
        forgotNanos = nanos;
    }

    void clockWentBack() {
        clockWentBack = true;
    }

    /** A store that forgets the era counts on from below. */
    void eraRaised() {
        eraRaised = true;
    }

    void granted(long token) {
        eraRaised |= token > FencingToken.SEQUENCE_MAX;
    }

    void clockShown(int process, long servedNanos) {
        clockShownNanos.merge(process, servedNanos, Math::max);
    }

    void counted(int process, Nonce nonce, long token) {
        clockNanosOf.putIfAbsent(new Counted(nonce, token), clockShownNanos.getOrDefault(process, NEVER));
    }

    /** May this grant have a token that is not above the one of an older grant? */
    boolean mayNotBeAbove(GrantFact older, GrantFact grant) {
        boolean forgetful = forgotNanos != NEVER;
        if (tokensByRevision) {
            return forgetful;
        }
        Long clockNanos = clockNanosOf.get(new Counted(grant.nonce, grant.token));
        boolean lost = forgetful && older.grantedNanos <= forgotNanos;
        boolean clockIsBehind = clockNanos != null && clockNanos <= older.grantedNanos;
        return clockWentBack || (forgetful && eraRaised) || (lost && clockIsBehind);
    }
}
