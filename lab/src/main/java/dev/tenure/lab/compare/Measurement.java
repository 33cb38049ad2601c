// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.compare;

import dev.tenure.lab.trace.Trace;
import dev.tenure.lab.world.World;

/**
 * One contest at one size.
 *
 * @param millis on average, until all knew the leader
 */
public record Measurement(Benchmark benchmark, int nodes, int runs, Messages messages, double millis) {
    /** How many one run needed: on average, at least and at most. */
    public record Messages(double mean, long fewest, long most) {}

    private static final double NANOS_PER_MILLI = 1e6;

    static Measurement measure(Benchmark benchmark, int nodes, int runs, long seed) {
        long sum = 0;
        long fewest = Long.MAX_VALUE;
        long most = 0;
        double millis = 0;
        for (int run = 0; run < runs; run++) {
            Trace trace = World.runUntilSettled(benchmark.experiment(nodes, seed + run));
            long settled = trace.settledNanos()
                    .orElseThrow(
                            () -> new IllegalStateException(benchmark.title() + " with " + nodes + " did not end"));
            long messages = trace.messages();
            sum += messages;
            fewest = Math.min(fewest, messages);
            most = Math.max(most, messages);
            millis += settled / NANOS_PER_MILLI;
        }
        return new Measurement(benchmark, nodes, runs, new Messages((double) sum / runs, fewest, most), millis / runs);
    }

    /** Does what was measured agree with theory? An average may differ by chance, by less the more runs there are. */
    public boolean isWithinTheory() {
        if (benchmark == Benchmark.CHANG_ROBERTS) {
            double expected = benchmark.low(nodes);
            return Math.abs(messages.mean() - expected) <= expected * (0.02 + 1.5 / Math.sqrt(runs));
        }
        return messages.fewest() >= benchmark.low(nodes) && messages.most() <= benchmark.high(nodes);
    }
}
