// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

/**
 * The right to act, as one immutable snapshot: until when, and the two clocks at the send of the last acknowledged
 * renewal.
 *
 * <p>The wall clock can only withdraw. A host that was suspended shows it: the wall clock went on, the monotonic clock
 * stood still, and the difference is time in which others may have been elected. A step backward is ignored.
 */
public record Authority(
        long validUntilNanos, long originNanos, long originWallMillis, long stepMillisMax, boolean revoked) {
    private static final long STEP_MILLIS_MIN = 1000;

    static Authority from(Timing timing, long sentNanos, long sentWallMillis) {
        long stepMillisMax = Math.max(STEP_MILLIS_MIN, timing.ttlNanos() / 10 / 1_000_000);
        return new Authority(timing.validUntil(sentNanos), sentNanos, sentWallMillis, stepMillisMax, false);
    }

    public Authority revoke() {
        return new Authority(validUntilNanos, originNanos, originWallMillis, stepMillisMax, true);
    }

    public boolean allows(long nowNanos, long nowWallMillis) {
        return !revoked && nowNanos - validUntilNanos < 0 && !wallRanAhead(nowNanos, nowWallMillis);
    }

    private boolean wallRanAhead(long nowNanos, long nowWallMillis) {
        return (nowWallMillis - originWallMillis) - (nowNanos - originNanos) / 1_000_000 >= stepMillisMax;
    }
}
