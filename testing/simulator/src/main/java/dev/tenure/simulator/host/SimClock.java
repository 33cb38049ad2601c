// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.host;

import dev.tenure.testing.NodeClock;
import dev.tenure.testing.VirtualTime;

/** A node's clocks, which can also tick coarsely, and whose wall clock can stand still. */
public final class SimClock extends NodeClock {
    private final long tickNanos;
    private long wallFrozenAtMillis = Long.MIN_VALUE;

    /** @param tickNanos the monotonic clock moves in steps of this; 1 for a fine one */
    public SimClock(VirtualTime time, long startNanos, long tickNanos) {
        super(time, startNanos);
        this.tickNanos = tickNanos;
    }

    @Override
    public long nanos() {
        long nanos = super.nanos();
        return tickNanos == 1 ? nanos : nanos - Math.floorMod(nanos, tickNanos);
    }

    @Override
    public long worldNanosAt(long nanos) {
        if (tickNanos == 1 || nanos <= nanos()) {
            return super.worldNanosAt(nanos);
        }
        long beyond = Math.floorMod(nanos, tickNanos);
        return super.worldNanosAt(beyond == 0 ? nanos : nanos + tickNanos - beyond);
    }

    @Override
    public long wallMillis() {
        return wallFrozenAtMillis == Long.MIN_VALUE ? super.wallMillis() : wallFrozenAtMillis;
    }

    public void freezeWall() {
        wallFrozenAtMillis = wallMillis();
    }

    public void thawWall() {
        wallFrozenAtMillis = Long.MIN_VALUE;
    }
}
