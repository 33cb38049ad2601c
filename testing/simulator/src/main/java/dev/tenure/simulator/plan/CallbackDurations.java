// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.plan;

import dev.tenure.simulator.check.Callback;
import dev.tenure.testing.SplitMix64;
import java.util.EnumMap;
import java.util.Map;

/** How long each callback of one candidacy takes, and whether an interrupt ends it. */
public final class CallbackDurations {
    public static final long FOR_EVER = Long.MAX_VALUE;

    /** What is long and what is short. */
    public record Scale(boolean service, long ttlNanos, long drainNanos) {}

    /** What of a service may hang. Most of them hang where others begin. */
    private static final Callback[] OF_SERVICE = {
        Callback.WARM_UP, Callback.ACTIVATE, Callback.ACTIVATE, Callback.DEACTIVATE, Callback.ON_LOSS, Callback.RAISE
    };

    private static final Callback[] OF_DUTY = {Callback.DUTY_END, Callback.ON_LOSS, Callback.RAISE};

    private final Map<Callback, Long> nanos = new EnumMap<>(Callback.class);
    private final boolean hangs;
    private final boolean interruptible;

    private CallbackDurations(boolean hangs, boolean interruptible) {
        this.hangs = hangs;
        this.interruptible = interruptible;
    }

    public static CallbackDurations prompt() {
        return new CallbackDurations(false, true);
    }

    /** Takes its time, but with what is left of an activation its end takes less than its budget. */
    static CallbackDurations slow(SplitMix64 random, Scale scale) {
        CallbackDurations durations = new CallbackDurations(false, random.below(2) == 0);
        durations.nanos.put(Callback.WARM_UP, upTo(scale.ttlNanos, random));
        durations.nanos.put(Callback.ACTIVATE, upTo(scale.drainNanos / 8, random));
        durations.nanos.put(Callback.DEACTIVATE, scale.drainNanos * 2 / 5 + random.below(scale.drainNanos / 5 + 1));
        durations.nanos.put(Callback.ON_LOSS, upTo(scale.ttlNanos, random));
        durations.nanos.put(Callback.RAISE, upTo(scale.ttlNanos / 10, random));
        // A duty that obeys an interrupt may take as long as it likes.
        durations.nanos.put(
                Callback.DUTY_END,
                durations.interruptible ? 4 * scale.ttlNanos : random.below(scale.drainNanos / 2 + 1));
        return durations;
    }

    /** One of its callbacks takes many TTLs, or never returns. */
    static CallbackDurations hanging(SplitMix64 random, Scale scale) {
        CallbackDurations durations = new CallbackDurations(true, random.below(2) == 0);
        long nanos = random.below(2) == 0 ? FOR_EVER : scale.ttlNanos * (1 + random.below(10));
        Callback[] some = scale.service ? OF_SERVICE : OF_DUTY;
        durations.nanos.put(some[(int) random.below(some.length)], nanos);
        return durations;
    }

    private static long upTo(long nanosMax, SplitMix64 random) {
        return random.below(2) == 0 ? 0 : random.below(nanosMax + 1);
    }

    public long nanosOf(Callback callback) {
        return nanos.getOrDefault(callback, 0L);
    }

    /** Does one of its callbacks take longer than any budget? */
    public boolean hangs() {
        return hangs;
    }

    public boolean isInterruptible() {
        return interruptible;
    }

    /** How long its service may take from the word to stop: the rest of an activation may come first. */
    public long serviceStopNanos() {
        return sum(nanosOf(Callback.ACTIVATE), nanosOf(Callback.DEACTIVATE));
    }

    /** How long its duty may take from the word to stop. An interrupt comes at half of the budget. */
    public long dutyStopNanos(long drainNanos) {
        long nanos = nanosOf(Callback.DUTY_END);
        return interruptible ? Math.min(nanos, drainNanos / 2) : nanos;
    }

    private static long sum(long one, long other) {
        return one == FOR_EVER || other == FOR_EVER ? FOR_EVER : one + other;
    }
}
