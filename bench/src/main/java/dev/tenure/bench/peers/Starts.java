// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.BenchProcessHandle;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.store.BenchStore;
import java.time.Duration;
import java.util.List;

/** From the start of a JVM until its only candidate leads an election that nobody else stands in. */
final class Starts implements PeerMeasurement {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final Figure elected = new Figure("fresh JVM to elected, ms");

    @Override
    public List<Figure> measure(BenchStore store, Settings settings) throws Exception {
        int starts = settings.number("--starts");
        // The first of each reads jars from the disk and creates tables: it does not count.
        for (int round = 0; round <= starts; round++) {
            for (Kind kind : settings.among(store.withoutFloor())) {
                try {
                    double millis = start(store, kind, Kind.ELECTIONS + "start" + round) / 1e6;
                    if (round > 0) {
                        elected.add(kind, millis);
                    }
                } catch (NotFinished slow) {
                    elected.failure(kind, "did not finish: " + slow.getMessage());
                }
            }
        }
        return List.of(store.peers().isEmpty() ? elected : elected.atMost(1, store.peers(), 0));
    }

    private static long start(BenchStore store, Kind kind, String election) throws Exception {
        long beganNanos = System.nanoTime();
        try (BenchProcessHandle seat = BenchProcessHandle.start(kind, store.address(kind), TTL)) {
            seat.order("open", 0);
            seat.order("stand", 0, election);
            long ledNanos = seat.await("leads", BenchTimeouts.STEP).number(0);
            seat.order("close", 0);
            seat.await("closed", BenchTimeouts.STEP);
            return ledNanos - beganNanos;
        }
    }
}
