// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import dev.tenure.simulator.check.PropertyViolation;
import dev.tenure.simulator.plan.StoreKind;
import dev.tenure.simulator.world.EngineLog;
import dev.tenure.simulator.world.SimulatedWorld;
import java.util.Optional;

/** Runs seeds until one shows a violation. Called by name in the classes of a mutant, so it speaks in plain Java types. */
public final class Hunt {
    private Hunt() {}

    /**
     * How many seeds it took, the property and the message; or nothing if no seed showed anything.
     *
     * @param store the name of the store that all of them have; empty leaves it to the seeds
     */
    public static String[] run(long from, long seeds, String store) {
        Optional<StoreKind> kind = store.isEmpty() ? Optional.empty() : Optional.of(StoreKind.valueOf(store));
        try (EngineLog log = EngineLog.listen()) {
            for (long seed = from; seed < from + seeds; seed++) {
                Optional<String[]> found = violationOf(seed, kind, seed - from + 1);
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        return new String[0];
    }

    // A mutant may break anything, also the world around it: that is found too.
    private static Optional<String[]> violationOf(long seed, Optional<StoreKind> store, long count) {
        try (SimulatedWorld world = new SimulatedWorld(seed, store, false, null)) {
            world.run();
            return world.violation().map(found -> shown(seed, count, found));
        } catch (RuntimeException | Error broken) {
            return Optional.of(new String[] {Long.toString(count), "BROKEN", "seed " + seed + ": " + broken});
        }
    }

    private static String[] shown(long seed, long count, PropertyViolation found) {
        return new String[] {Long.toString(count), found.property(), "seed " + seed + ": " + found.message()};
    }
}
