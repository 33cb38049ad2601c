package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.seat.SeatProcess;
import dev.tenure.bench.peers.seat.Told;
import dev.tenure.bench.peers.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Two processes of each contender hand one election to and fro, one handover of each in turn. One of the two speaks to the
 * server that leads the cluster, the other to one that follows, the same for all.
 */
final class Handovers implements Measurement {
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration SETTLE = Duration.ofMillis(30);
    /** Processes start, classes are loaded. */
    private static final int NOT_COUNTED = 30;
    /** Each process plays each part in every second one: less often than what the JVM compiles by default, 200 times. */
    private static final int EARLY = 150;

    private final Figure toNext = new Figure("handover between two processes, from the end of the duty, ms");
    private final Figure fromCall = new Figure("... from the call that leaves, ms");
    private final Figure early = new Figure("... the same before it was compiled, ms");

    @Override
    public List<Figure> measure(Store store, Settings settings) throws Exception {
        List<Pair> pairs = new ArrayList<>();
        try {
            for (Kind kind : settings.among(store.contenders())) {
                pairs.add(new Pair(store, kind));
            }
            int warmUp = settings.number("--warm-up");
            for (int round = 0; round < warmUp + settings.number("--rounds"); round++) {
                for (Pair pair : List.copyOf(pairs)) {
                    if (!handOver(pair, round, warmUp)) {
                        pairs.remove(pair);
                        pair.close();
                    }
                }
                Collections.rotate(pairs, 1);
            }
        } finally {
            pairs.forEach(Pair::close);
        }
        return List.of(judged(toNext, store), fromCall, judged(early, store));
    }

    private static Figure judged(Figure figure, Store store) {
        return figure.atMost(1.5, store.floor()).atMost(1, store.peer());
    }

    private boolean handOver(Pair pair, int round, int warmUp) throws Exception {
        try {
            Told left = pair.leave();
            Told leads = pair.next().hear("leads", Patience.STEP);
            double tookMillis = (leads.number(0) - left.number(1)) / 1e6;
            if (round >= NOT_COUNTED && round < NOT_COUNTED + EARLY) {
                early.add(pair.kind, tookMillis);
            }
            if (round >= warmUp) {
                fromCall.add(pair.kind, (leads.number(0) - left.number(0)) / 1e6);
                toNext.add(pair.kind, tookMillis);
            }
            pair.standAgain();
            return true;
        } catch (NotFinished slow) {
            toNext.trouble(pair.kind, "did not finish: " + slow.getMessage());
            return false;
        }
    }

    /** The leader, and the one that waits for it. */
    private static final class Pair {
        private static final String ELECTION = Kind.ELECTIONS + "handover";

        private final Store store;
        private final Kind kind;
        private final List<SeatProcess> leaderFirst = new ArrayList<>();

        Pair(Store store, Kind kind) throws Exception {
            this.store = store;
            this.kind = kind;
            for (int server = 0; server < 2; server++) {
                SeatProcess seat = SeatProcess.start(kind, store.address(kind, server), TTL);
                leaderFirst.add(seat);
                seat.order("open", 0);
                seat.hear("opened", Patience.STEP);
            }
            leaderFirst.get(0).order("stand", 0, ELECTION);
            leaderFirst.get(0).hear("leads", Patience.STEP);
            queue(leaderFirst.get(1));
        }

        SeatProcess next() {
            return leaderFirst.get(1);
        }

        Told leave() throws Exception {
            leaderFirst.get(0).order("leave", 0, ELECTION);
            return leaderFirst.get(0).hear("left", Patience.STEP);
        }

        void standAgain() throws Exception {
            queue(leaderFirst.get(0));
            Collections.swap(leaderFirst, 0, 1);
        }

        private void queue(SeatProcess seat) throws Exception {
            long before = store.candidates();
            seat.order("stand", 0, ELECTION);
            Patience.awaitCandidates(store, before + 1, Patience.STEP, SETTLE);
        }

        void close() {
            leaderFirst.forEach(SeatProcess::close);
        }
    }
}
