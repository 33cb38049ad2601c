// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.world;

import dev.tenure.lab.trace.ResourceWrite;
import java.util.ArrayList;
import java.util.List;

/**
 * What leaders write to. A leader checks whether it still leads, works for a moment, and writes; if it is paused in between, it
 * writes when it wakes up, no matter which node leads by then. No algorithm can prevent that.
 */
final class Resource {
    private static final long EVERY_NANOS = 50_000_000;
    private static final long WORK_NANOS = 10_000_000;

    private final List<ResourceWrite> writes = new ArrayList<>();
    private long highestTerm;

    void writeRegularly(int id, World world) {
        world.after(EVERY_NANOS, () -> {
            world.node(id)
                    .act(() -> world.termLedBy(id)
                            .ifPresent(term ->
                                    world.after(WORK_NANOS, () -> world.node(id).act(() -> write(id, term, world)))));
            writeRegularly(id, world);
        });
    }

    private void write(int id, long term, World world) {
        writes.add(new ResourceWrite(world.nanos(), id, term, term < highestTerm));
        highestTerm = Math.max(highestTerm, term);
    }

    List<ResourceWrite> writes() {
        return writes;
    }
}
