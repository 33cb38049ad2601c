// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import java.time.Duration;

/** L6: close() returns within its bound, also when the store hangs and when duties do not end. */
final class BoundedClose {
    private static final Duration SLACK = Duration.ofMillis(2_100);
    /** Listeners that are slow or do not return are waited for so long. */
    private static final Duration LISTENERS_WITHIN = Duration.ofSeconds(1);

    private BoundedClose() {}

    /** The end of a candidacy is told, also where its code runs on; but not in a process that has ended. */
    static void checkRetired(SimulatedWorld world, SimulatedProcess process) {
        if (process.hasCrashed()) {
            return;
        }
        process.candidacys()
                .forEach(each -> world.truth()
                        .violated(
                                "L6",
                                process.fact() + " was closed, but retired() of e" + each.election()
                                        + " has not completed"));
    }

    static void check(SimulatedWorld world, SimulatedProcess process, long tookNanos) {
        long ttlNanos = Duration.ofMillis(process.ttlMillis()).toNanos();
        // Drain, two requests, the end of the session, and a loop that is late: 0.25 (the most that is drawn) + 4 ·
        // 0.15
        // of the TTL.
        long boundNanos = ttlNanos * 85 / 100 + SLACK.plus(LISTENERS_WITHIN).toNanos();
        if (tookNanos > boundNanos) {
            world.truth()
                    .violated(
                            "L6",
                            process.fact() + " took " + tookNanos / 1_000_000 + " ms to close, more than "
                                    + boundNanos / 1_000_000);
        }
    }
}
