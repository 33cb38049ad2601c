// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.check;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.lab.AlgorithmConfig;
import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.trace.Overlap;
import dev.tenure.lab.trace.Trace;
import dev.tenure.lab.world.World;
import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A schedule that shows what an algorithm does not promise, found by trying seeds, with every fault left out that it does not need.
 *
 * @param seeds how many were tried
 */
public record CounterExample(Experiment experiment, Trace trace, long seeds) {
    private static final int NODES = 5;
    private static final long SIDE_BY_SIDE_NANOS = 1_000_000_000;
    private static final long FOR_NANOS = 5_000_000_000L;

    /** What is looked for. */
    public enum Quarry {
        /** Under partitions alone, two lead side by side for more than a second: longer than any lease of the lab. */
        TWO_LEADERS,
        /** Under pauses of leaders alone, a write of an older term reaches the resource after one of a newer term. */
        STALE_WRITE;

        public String spelling() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        private List<Fault> faults(FaultGenerator generator) {
            return this == TWO_LEADERS ? generator.partitions() : generator.pauses();
        }

        private boolean isIn(Trace trace) {
            return this == TWO_LEADERS
                    ? trace.overlaps().stream().mapToLong(Overlap::nanos).anyMatch(nanos -> nanos > SIDE_BY_SIDE_NANOS)
                    : trace.stale() > 0;
        }
    }

    /** The first that is found, or nothing in that many seeds. */
    public static Optional<CounterExample> search(Algorithm algorithm, Quarry quarry, long seeds) {
        for (long seed = 1; seed <= seeds; seed++) {
            FaultGenerator generator = new FaultGenerator(new SplitMix64(seed), NODES);
            Experiment experiment = Experiment.of(AlgorithmConfig.of(algorithm), NODES, seed)
                    .with(quarry.faults(generator))
                    .lasting(FOR_NANOS);
            if (quarry.isIn(World.run(experiment))) {
                Experiment small = shrink(experiment, faults -> quarry.isIn(World.run(experiment.with(faults))));
                return Optional.of(new CounterExample(small, World.run(small), seed));
            }
        }
        return Optional.empty();
    }

    private static Experiment shrink(Experiment experiment, Predicate<List<Fault>> stillShows) {
        List<Fault> needed = new ArrayList<>(experiment.faults());
        for (Fault fault : experiment.faults()) {
            List<Fault> fewer = new ArrayList<>(needed);
            fewer.remove(fault);
            if (stillShows.test(fewer)) {
                needed = fewer;
            }
        }
        return experiment.with(needed);
    }
}
