// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The two clocks of one node, as functions of the world's time: a monotonic one with an offset and a rate, which can
 * stand still, and a wall clock that can be stepped. Integer arithmetic throughout, so every machine computes the same.
 *
 * <p>Subclasses may map time otherwise; whatever they do, the monotonic clock must never run backward, and
 * {@link #changed()} must be called after a change.
 */
public class NodeClock {
    private static final long MILLION = 1_000_000;

    private final VirtualTime time;
    private @Nullable Runnable onChange;
    private long sinceWorldNanos;
    private long sinceNanos;
    private long ratePpm = MILLION;
    private boolean frozen;
    private long wallStepNanos;

    /** @param startNanos what the monotonic clock shows now: any number, as on a real machine */
    public NodeClock(VirtualTime time, long startNanos) {
        this.time = time;
        this.sinceWorldNanos = time.nanos();
        this.sinceNanos = startNanos;
    }

    /** What the monotonic clock shows now. */
    public long nanos() {
        return frozen ? sinceNanos : sinceNanos + scaled(time.nanos() - sinceWorldNanos, ratePpm, MILLION);
    }

    /** What the wall clock shows now. */
    public long wallMillis() {
        return VirtualTime.EPOCH_MILLIS + Math.floorDiv(time.nanos() + wallStepNanos, MILLION);
    }

    /** The first instant of the world at which the monotonic clock shows this; {@code Long.MAX_VALUE} if frozen. */
    public long worldNanosAt(long nanos) {
        if (nanos <= nanos()) {
            return time.nanos();
        }
        if (frozen) {
            return Long.MAX_VALUE;
        }
        long ahead = nanos - sinceNanos;
        long whole = ahead / ratePpm;
        if (ahead < 0 || whole > Long.MAX_VALUE / MILLION / 4) {
            return Long.MAX_VALUE;
        }
        long rest = ahead % ratePpm * MILLION;
        return sinceWorldNanos + whole * MILLION + (rest + ratePpm - 1) / ratePpm;
    }

    /** From now on the monotonic clock gains this many microseconds per second; negative loses. */
    public final void drift(long ppm) {
        if (ppm <= -MILLION || ppm > MILLION) {
            throw new IllegalArgumentException("drift of " + ppm + " ppm is outside -999999..1000000");
        }
        rebase();
        ratePpm = MILLION + ppm;
        changed();
    }

    /** The monotonic clock stands still while the wall clock goes on: what a suspended machine sees. */
    public final void freeze() {
        rebase();
        frozen = true;
        changed();
    }

    public final void thaw() {
        rebase();
        frozen = false;
        changed();
    }

    public final boolean isFrozen() {
        return frozen;
    }

    /** The monotonic clock jumps ahead. */
    public final void leap(Duration ahead) {
        if (ahead.isNegative()) {
            throw new IllegalArgumentException("a monotonic clock does not run backward: " + ahead);
        }
        rebase();
        sinceNanos += ahead.toNanos();
        changed();
    }

    /** The wall clock is set, forward or backward. */
    public final void stepWall(Duration by) {
        wallStepNanos += by.toNanos();
    }

    /** Tells the host that armed wake-ups have to be computed anew. */
    protected final void changed() {
        Runnable listener = onChange;
        if (listener != null) {
            listener.run();
        }
    }

    final void onChange(Runnable listener) {
        onChange = listener;
    }

    private void rebase() {
        sinceNanos = nanos();
        sinceWorldNanos = time.nanos();
    }

    /** {@code floor(value * numerator / denominator)} for values whose product would not fit into 64 bits. */
    private static long scaled(long value, long numerator, long denominator) {
        return value / denominator * numerator + value % denominator * numerator / denominator;
    }
}
