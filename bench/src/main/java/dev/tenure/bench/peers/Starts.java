package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.seat.SeatProcess;
import dev.tenure.bench.peers.store.Store;
import java.time.Duration;
import java.util.List;

/** From the start of a JVM until its only candidate leads an election that nobody else stands in. */
final class Starts implements Measurement {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final Figure elected = new Figure("fresh JVM to elected, ms");

    @Override
    public List<Figure> measure(Store store, Settings settings) throws Exception {
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
                    elected.trouble(kind, "did not finish: " + slow.getMessage());
                }
            }
        }
        return List.of(store.peers().isEmpty() ? elected : elected.atMost(1, store.peers(), 0));
    }

    private static long start(Store store, Kind kind, String election) throws Exception {
        long beganNanos = System.nanoTime();
        try (SeatProcess seat = SeatProcess.start(kind, store.address(kind), TTL)) {
            seat.order("open", 0);
            seat.order("stand", 0, election);
            long ledNanos = seat.hear("leads", Patience.STEP).number(0);
            seat.order("close", 0);
            seat.hear("closed", Patience.STEP);
            return ledNanos - beganNanos;
        }
    }
}
