package dev.tenure.lab.compare;

import dev.tenure.lab.trace.Trace;
import dev.tenure.lab.world.World;

/**
 * One contest at one size.
 *
 * @param millis on average, until all knew the leader
 */
public record Cell(Contest contest, int nodes, int runs, double messages, long fewest, long most, double millis) {
    private static final double NANOS_PER_MILLI = 1e6;

    static Cell measure(Contest contest, int nodes, int runs, long seed) {
        long sum = 0;
        long fewest = Long.MAX_VALUE;
        long most = 0;
        double millis = 0;
        for (int run = 0; run < runs; run++) {
            Trace trace = World.runUntilSettled(contest.experiment(nodes, seed + run));
            long settled = trace.settledNanos()
                    .orElseThrow(() -> new IllegalStateException(contest.title() + " with " + nodes + " did not end"));
            long messages = trace.messages();
            sum += messages;
            fewest = Math.min(fewest, messages);
            most = Math.max(most, messages);
            millis += settled / NANOS_PER_MILLI;
        }
        return new Cell(contest, nodes, runs, (double) sum / runs, fewest, most, millis / runs);
    }

    /** Does what was measured agree with theory? An average may differ by chance, by less the more runs there are. */
    public boolean isWithinTheory() {
        if (contest == Contest.CHANG_ROBERTS) {
            double expected = contest.low(nodes);
            return Math.abs(messages - expected) <= expected * (0.02 + 1.5 / Math.sqrt(runs));
        }
        return fewest >= contest.low(nodes) && most <= contest.high(nodes);
    }
}
