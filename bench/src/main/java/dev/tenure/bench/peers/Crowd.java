package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.seat.SeatProcess;
import dev.tenure.bench.peers.store.Store;
import java.time.Duration;
import java.util.List;

/**
 * Many clients, each with a session of its own, in one election, which passes from one to the next. Requests are those that
 * the servers have counted, from the release until all is quiet again, less what the same crowd sends when nothing happens.
 */
final class Crowd implements Measurement {
    /** Long, so that keep-alives do not drown what is counted. */
    private static final Duration TTL = Duration.ofSeconds(40);

    private static final Duration IDLE = Duration.ofSeconds(15);
    private static final Duration SETTLE = Duration.ofMillis(300);
    private static final String ELECTION = Kind.ELECTIONS + "crowd";

    private final Figure perHandover;
    private final Figure withReturn = new Figure("... and until the one that left has queued again");

    Crowd(Settings settings) {
        perHandover = new Figure("requests per handover, " + settings.number("--candidates") + " candidates");
    }

    @Override
    public List<Figure> measure(Store store, Settings settings) throws Exception {
        for (Kind kind : List.of(Kind.TENURE, store.peer())) {
            try (SeatProcess seat = SeatProcess.start(kind, store.address(kind), TTL)) {
                measure(store, kind, seat, settings);
                for (int client = 0; client < settings.number("--candidates"); client++) {
                    seat.order("close", client);
                    seat.hear("closed", Patience.STEP);
                }
            } catch (NotFinished slow) {
                perHandover.trouble(kind, "did not finish: " + slow.getMessage());
            }
            Patience.awaitCandidates(store, 0, Patience.MANY, SETTLE);
        }
        return List.of(perHandover.atMost(4), withReturn);
    }

    private void measure(Store store, Kind kind, SeatProcess seat, Settings settings) throws Exception {
        int candidates = settings.number("--candidates");
        for (int client = 0; client < candidates; client++) {
            seat.order("open", client);
            seat.hear("opened", Patience.STEP);
            seat.order("stand", client, ELECTION);
            Patience.awaitCandidates(store, client + 1, Patience.STEP, Duration.ZERO);
        }
        Tally idle = new Tally(store);
        Patience.rest(IDLE);
        idle.pause();
        Tally release = new Tally(store);
        release.pause();
        Tally whole = new Tally(store);
        whole.pause();

        int leader = seat.hear("leads", Patience.STEP).client();
        int handovers = settings.number("--handovers");
        for (int i = 0; i < handovers; i++) {
            release.goOn();
            whole.goOn();
            seat.order("leave", leader, ELECTION);
            seat.hear("left", Patience.STEP);
            int next = seat.hear("leads", Patience.STEP).client();
            Patience.rest(SETTLE);
            release.pause();
            seat.order("stand", leader, ELECTION);
            Patience.awaitCandidates(store, candidates, Patience.STEP, SETTLE);
            whole.pause();
            leader = next;
        }
        perHandover.add(kind, release.requestsBeyond(idle) / handovers);
        withReturn.add(kind, whole.requestsBeyond(idle) / handovers);
    }

    /** Requests and time, of some stretches together. */
    private static final class Tally {
        private final Store store;
        private long requests;
        private long nanos;
        private long requestsAtStart;
        private long nanosAtStart;

        Tally(Store store) {
            this.store = store;
            goOn();
        }

        void goOn() {
            nanosAtStart = System.nanoTime();
            requestsAtStart = store.requests();
        }

        void pause() {
            requests += store.requests() - requestsAtStart;
            nanos += System.nanoTime() - nanosAtStart;
        }

        double requestsBeyond(Tally idle) {
            return requests - (double) idle.requests * nanos / idle.nanos;
        }
    }
}
