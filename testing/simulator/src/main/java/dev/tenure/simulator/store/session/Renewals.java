// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import java.util.ArrayDeque;

/**
 * How long a client may rely on a renewal that was acknowledged by a server which hands signs of life on only now and then.
 * That very renewal may be lost with the server. What was acknowledged a relay's time before it was sent is surely counted by
 * the one that judges: normally the renewal before it, a quarter of the TTL ago. That much is allowed for in the TTL; if it is
 * longer ago, this renewal is worth less.
 */
final class Renewals {
    private static final double USUAL_GAP_TTLS = 0.25;
    /** The gap is measured by the client, whose clock may lose a tenth. */
    private static final double DRIFT_ALLOWANCE = 1.12;

    private final long ttlNanos;
    private final long touchDelayNanosMax;
    private final ArrayDeque<Acknowledged> waiting = new ArrayDeque<>();
    private long countedNanos;

    private record Acknowledged(long sentNanos, long ackedNanos) {}

    /** @param openedNanos when the opening was sent, which the one that judges counts itself */
    Renewals(long ttlNanos, long relayNanosMax, long openedNanos) {
        this.ttlNanos = ttlNanos;
        this.touchDelayNanosMax = relayNanosMax;
        this.countedNanos = openedNanos;
    }

    /** A renewal that was sent then is acknowledged now: how long is it worth, from when it was sent? */
    long acknowledged(long sentNanos, long nowNanos) {
        while (!waiting.isEmpty() && waiting.getFirst().ackedNanos <= sentNanos - touchDelayNanosMax) {
            countedNanos = Math.max(countedNanos, waiting.removeFirst().sentNanos);
        }
        waiting.addLast(new Acknowledged(sentNanos, nowNanos));
        long usualNanos = (long) (ttlNanos * USUAL_GAP_TTLS) + touchDelayNanosMax;
        long excessNanos = Math.max(0, sentNanos - countedNanos - usualNanos);
        return touchDelayNanosMax == 0 ? ttlNanos : Math.max(1, ttlNanos - (long) (excessNanos * DRIFT_ALLOWANCE));
    }
}
