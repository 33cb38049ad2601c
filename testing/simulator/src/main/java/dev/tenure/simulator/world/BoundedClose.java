package dev.tenure.simulator.world;

import java.time.Duration;

/** L6: close() returns within its bound, also when the store hangs and when duties do not end. */
final class BoundedClose {
    private static final Duration SLACK = Duration.ofMillis(2_100);

    private BoundedClose() {}

    static void check(World world, Incarnation process, long tookNanos) {
        long ttlNanos = Duration.ofMillis(process.ttlMillis()).toNanos();
        // Drain, two requests, and the end of the session: 0.25 (the most that is drawn) + 3 · 0.15 of the TTL.
        long boundNanos = ttlNanos * 70 / 100 + SLACK.toNanos();
        if (tookNanos > boundNanos) {
            world.book()
                    .violated(
                            "L6",
                            process.fact() + " took " + tookNanos / 1_000_000 + " ms to close, more than "
                                    + boundNanos / 1_000_000);
        }
    }
}
