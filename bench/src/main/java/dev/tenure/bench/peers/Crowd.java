package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.seat.SeatProcess;
import dev.tenure.bench.peers.store.Store;
import java.time.Duration;
import java.util.List;

/**
 * Many clients, each with a session of its own, in one election, which passes from one to the next. Requests are those that
 * the servers have counted, from the release until all is quiet again, less those of the same time just before it.
 */
final class Crowd implements Measurement {
    /** Long, so that keep-alives do not drown what is counted. */
    private static final Duration TTL = Duration.ofSeconds(40);

    private static final Duration SETTLE = Duration.ofMillis(300);
    private static final String ELECTION = Kind.ELECTIONS + "crowd";

    private final Figure perHandover;
    private final Figure toQueueAgain = new Figure("... until the one that left has queued again");

    Crowd(Settings settings) {
        perHandover = new Figure("requests per handover, " + settings.number("--candidates") + " candidates");
    }

    @Override
    public List<Figure> measure(Store store, Settings settings) throws Exception {
        for (Kind kind : settings.among(store.withoutFloor())) {
            try (SeatProcess seat = SeatProcess.start(kind, store.address(kind), TTL)) {
                measure(store, kind, seat, settings);
                for (int client = 0; client < settings.number("--candidates"); client++) {
                    seat.order("close", client);
                }
                Patience.awaitLeftovers(store, 0);
            } catch (NotFinished slow) {
                perHandover.trouble(kind, "did not finish: " + slow.getMessage());
            }
        }
        return List.of(perHandover.atMost(4), toQueueAgain);
    }

    private void measure(Store store, Kind kind, SeatProcess seat, Settings settings) throws Exception {
        int candidates = settings.number("--candidates");
        for (int client = 0; client < candidates; client++) {
            seat.order("open", client);
            seat.hear("opened", Patience.STEP);
            seat.order("stand", client, ELECTION);
            Patience.awaitCandidates(store, client + 1, Patience.STEP, Duration.ZERO);
        }
        int leader = seat.hear("leads", Patience.STEP).client();
        for (int i = 0; i < settings.number("--handovers"); i++) {
            long before = store.requests();
            Patience.rest(SETTLE);
            long quiet = store.requests();
            seat.order("leave", leader, ELECTION);
            seat.hear("left", Patience.STEP);
            int next = seat.hear("leads", Patience.STEP).client();
            Patience.rest(SETTLE);
            long led = store.requests();
            seat.order("stand", leader, ELECTION);
            Patience.awaitCandidates(store, candidates, Patience.STEP, SETTLE);
            long queued = store.requests();

            long idle = quiet - before;
            perHandover.add(kind, (double) (led - quiet - idle));
            toQueueAgain.add(kind, (double) (queued - quiet - 2 * idle));
            leader = next;
        }
    }
}
