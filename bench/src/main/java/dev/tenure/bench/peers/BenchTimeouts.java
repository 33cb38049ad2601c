// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.store.BenchStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How long is waited, and for what. */
final class BenchTimeouts {
    /** For one step of one candidate. */
    static final Duration STEP = Duration.ofSeconds(20);

    /** For candidates that nobody can count; by then a candidate has asked once, and one that polls is polling. */
    private static final Duration UNCOUNTED = Duration.ofMillis(100);

    private static final Duration UNCOUNTED_MANY = Duration.ofSeconds(10);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(5);

    private BenchTimeouts() {}

    /** Waits until so many candidates are in the store, and a little longer, so that their watches stand too. */
    static void awaitCandidates(BenchStore store, long count, Duration within, Duration settle)
            throws NotFinished, InterruptedException {
        if (!store.countsCandidates()) {
            rest(within.compareTo(STEP) > 0 ? UNCOUNTED_MANY : UNCOUNTED);
            rest(settle);
            return;
        }
        long byNanos = System.nanoTime() + within.toNanos();
        while (store.candidates() != count) {
            if (System.nanoTime() - byNanos > 0) {
                throw new NotFinished(
                        store.candidates() + " of " + count + " candidates within " + within.toSeconds() + " s");
            }
            rest(LOOK_AGAIN);
        }
        rest(settle);
    }

    /** Waits until what a round has left behind is gone, or not: a wedged server may keep it. */
    static void awaitLeftovers(BenchStore store, long count) throws InterruptedException {
        try {
            awaitCandidates(store, count, STEP, LOOK_AGAIN);
        } catch (NotFinished stays) {
            System.err.println("left behind: " + stays.getMessage());
        }
    }

    static void rest(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
