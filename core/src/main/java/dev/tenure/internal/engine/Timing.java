// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.spi.DurationText;
import java.time.Duration;

/**
 * Everything that follows from the TTL which the store granted (never from the one that was asked for).
 *
 * <p>{@code validUntil = sent + ttl·(1 − ε) − margin}: the store began to count at or after the moment the request was
 * sent. So for any difference of clock rates up to ε the term ends here before it ends there. The margin covers the
 * grain of timers and schedulers.
 */
public record Timing(
        long ttlNanos, long renewNanos, long timeoutNanos, long retryNanos, long drainNanos, long marginNanos) {
    public static final double DRIFT = 0.1;
    /** With a drain of 0.2 the relation holds for this share, too: a term may begin just before a renewal is due. */
    private static final double IDLE_RENEW = 0.4;

    private static final long MARGIN_NANOS_MAX = 250_000_000;

    public static Timing of(Duration ttl) {
        long ttlNanos = ttl.toNanos();
        return new Timing(
                ttlNanos,
                share(ttlNanos, 0.25),
                share(ttlNanos, 0.15),
                share(ttlNanos, 0.05),
                share(ttlNanos, 0.2),
                Math.min(MARGIN_NANOS_MAX, share(ttlNanos, 0.05)));
    }

    private static long share(long nanos, double part) {
        return (long) (nanos * part);
    }

    public long validUntil(long sentNanos) {
        return sentNanos + beliefNanos();
    }

    private long beliefNanos() {
        return share(ttlNanos, 1 - DRIFT) - marginNanos;
    }

    /** When the next renewal is due, counted from the sending of the last one. Without a claim there is nothing to lose. */
    long renewNanos(boolean holdsClaim) {
        return holdsClaim ? renewNanos : Math.max(renewNanos, share(ttlNanos, IDLE_RENEW));
    }

    /** A term with less than this left is not worth beginning: it would drain before the next renewal could be answered. */
    long usefulNanos(long drainBudgetNanos) {
        return Math.max(share(ttlNanos, 0.3), drainLeadNanos(drainBudgetNanos) + timeoutNanos);
    }

    /**
     * How long before the deadline a drain begins. A store may grant less than it was asked for; a budget that fits only into
     * the TTL that was asked for is cut, because a term that begins to end before its first renewal would never last.
     */
    public long drainLeadNanos(long budgetNanos) {
        return Math.min(budgetNanos, drainRoomNanos());
    }

    /** What is left for draining when a renewal and two retries have failed. */
    private long drainRoomNanos() {
        return beliefNanos() - renewNanos - timeoutNanos - 2 * retryNanos;
    }

    /** @throws IllegalArgumentException with the numbers, if a drain of this length does not fit into the TTL */
    public void requireRoomFor(Duration drain) {
        if (drain.isNegative()) {
            throw new IllegalArgumentException("the drain budget is negative: " + drain);
        }
        if (DurationText.nanos(drain) > drainRoomNanos()) {
            throw new IllegalArgumentException(
                    "a drain of " + show(DurationText.nanos(drain)) + " does not fit into a TTL of "
                            + show(ttlNanos) + ": renew " + show(renewNanos) + " + timeout " + show(timeoutNanos)
                            + " + 2 × retry "
                            + show(retryNanos) + " + drain " + show(DurationText.nanos(drain)) + " + margin "
                            + show(marginNanos)
                            + " must be at most ttl × (1 − " + DRIFT + ") = " + show(share(ttlNanos, 1 - DRIFT))
                            + "; drain within " + show(drainRoomNanos()) + " or choose a longer TTL");
        }
    }

    private static String show(long nanos) {
        return DurationText.format(Duration.ofNanos(nanos));
    }
}
