// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import dev.tenure.simulator.plan.StoreKind;
import java.util.Optional;

/**
 * Which seeds to run.
 *
 * @param from the first one
 * @param seeds how many, one after the other
 * @param workers how many at the same time
 * @param store all of them with this one, whatever the seeds say
 * @param hanging all of them with user code that is slow and hangs, whatever the seeds say
 */
public record SimOptions(long from, long seeds, int workers, Optional<StoreKind> store, boolean hanging) {
    public SimOptions {
        if (seeds < 1) {
            throw new IllegalArgumentException("seeds " + seeds + " must be > 0");
        }
        if (workers < 1) {
            throw new IllegalArgumentException("workers " + workers + " must be > 0");
        }
    }

    public static SimOptions seeds(long seeds) {
        return new SimOptions(1, seeds, 1, Optional.empty(), false);
    }

    public SimOptions from(long first) {
        return new SimOptions(first, seeds, workers, store, hanging);
    }

    public SimOptions workers(int count) {
        return new SimOptions(from, seeds, count, store, hanging);
    }

    public SimOptions store(Optional<StoreKind> only) {
        return new SimOptions(from, seeds, workers, only, hanging);
    }

    public SimOptions hanging(boolean all) {
        return new SimOptions(from, seeds, workers, store, all);
    }
}
