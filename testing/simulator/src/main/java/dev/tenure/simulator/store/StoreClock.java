// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store;

import dev.tenure.testing.VirtualTime;

/** The clock by which a store judges and counts: with a rate of its own, and it can be set. */
public final class StoreClock {
    private static final long MILLION = 1_000_000;

    private final VirtualTime time;
    private final long ratePpm;
    private long stepNanos;

    /** @param driftPpm microseconds per second that it gains; negative loses */
    public StoreClock(VirtualTime time, long driftPpm) {
        this.time = time;
        this.ratePpm = MILLION + driftPpm;
    }

    public long nanos() {
        return at(time.nanos());
    }

    private long at(long worldNanos) {
        return worldNanos / MILLION * ratePpm + worldNanos % MILLION * ratePpm / MILLION + stepNanos;
    }

    public long millis() {
        return VirtualTime.EPOCH_MILLIS + Math.floorDiv(nanos(), MILLION);
    }

    /** When it will show this, if it is not set before then. */
    public long worldNanosAt(long nanos) {
        long ahead = nanos - nanos();
        return time.nanos() + ahead / ratePpm * MILLION + ahead % ratePpm * MILLION / ratePpm;
    }

    /** Forward or backward. */
    public void step(long byNanos) {
        stepNanos += byNanos;
    }
}
