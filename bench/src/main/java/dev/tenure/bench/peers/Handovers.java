// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.BenchProcessHandle;
import dev.tenure.bench.peers.seat.BenchProcessLine;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.store.BenchStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Two processes of each contender hand one election to and fro, one handover of each in turn. One of the two speaks to the
 * server that leads the cluster, the other to one that follows, the same for all. The clock runs from the call that leaves
 * until the work of the next one begins.
 */
final class Handovers implements PeerMeasurement {
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration SETTLE = Duration.ofMillis(30);
    /** Processes start, classes are loaded. */
    private static final int NOT_COUNTED = 30;
    /** Each process plays each part in every second one: less often than what the JVM compiles by default, 200 times. */
    private static final int EARLY = 150;

    private final Figure fromCall = new Figure("handover between two processes, from the call that leaves, ms");
    private final Figure early = new Figure("... the same before it was compiled, ms");
    /** How many stand while nothing happens. */
    private int standing;

    @Override
    public List<Figure> measure(BenchStore store, Settings settings) throws Exception {
        List<Pair> pairs = new ArrayList<>();
        try {
            for (Kind kind : settings.among(store.contenders())) {
                Pair pair = new Pair(store, kind, settings.number("--together"));
                pairs.add(pair);
                pair.begin();
            }
            int warmUp = settings.number("--warm-up");
            for (int round = 0; round < warmUp + settings.number("--rounds"); round++) {
                for (Pair pair : List.copyOf(pairs)) {
                    if (!handOver(pair, round, warmUp)) {
                        pairs.remove(pair);
                        pair.close();
                        standing -= 2 * settings.number("--together");
                        BenchTimeouts.awaitLeftovers(store, standing);
                    }
                }
                Collections.rotate(pairs, 1);
            }
        } finally {
            pairs.forEach(Pair::close);
        }
        return List.of(judged(fromCall, store), early);
    }

    private static Figure judged(Figure figure, BenchStore store) {
        Figure judged = store.peers().isEmpty() ? figure : figure.atMost(1, store.peers(), 0);
        if (store.floor().isPresent() && store.handoverInFloors().isPresent()) {
            Kind floor = store.floor().get();
            return judged.atMost(store.handoverInFloors().getAsDouble(), List.of(floor), 0)
                    .p99AtMost(3, floor);
        }
        return judged;
    }

    private boolean handOver(Pair pair, int round, int warmUp) throws Exception {
        try {
            double tookMillis = pair.handOver() / 1e6;
            if (round >= warmUp) {
                fromCall.add(pair.kind, tookMillis);
            } else if (round >= NOT_COUNTED && round < NOT_COUNTED + EARLY) {
                early.add(pair.kind, tookMillis);
            }
            pair.standAgain();
            return true;
        } catch (NotFinished slow) {
            fromCall.failure(pair.kind, "did not finish: " + slow.getMessage());
            return false;
        }
    }

    /** The leader, and the one that waits for it; mostly in one election. */
    private final class Pair {
        private final BenchStore store;
        private final Kind kind;
        private final List<String> elections;
        private final List<BenchProcessHandle> leaderFirst = new ArrayList<>();

        Pair(BenchStore store, Kind kind, int together) throws Exception {
            this.store = store;
            this.kind = kind;
            this.elections = IntStream.range(0, together)
                    .mapToObj(i -> Kind.ELECTIONS + "handover" + i)
                    .toList();
        }

        void begin() throws Exception {
            for (int server = 0; server < 2; server++) {
                BenchProcessHandle seat = BenchProcessHandle.start(kind, store.address(kind, server), TTL);
                leaderFirst.add(seat);
                seat.order("open", 0);
                seat.await("opened", BenchTimeouts.STEP);
            }
            for (String election : elections) {
                leaderFirst.get(0).order("stand", 0, election);
                leaderFirst.get(0).await("leads", BenchTimeouts.STEP);
            }
            standing += 2 * elections.size();
            queue(leaderFirst.get(1));
        }

        /** All of them go over, one after the other; what is measured is the first. */
        long handOver() throws Exception {
            List<Long> tookNanos = new ArrayList<>();
            for (String election : elections) {
                leaderFirst.get(0).order("leave", 0, election);
                BenchProcessLine left = leaderFirst.get(0).await("left", BenchTimeouts.STEP);
                BenchProcessLine leads = leaderFirst.get(1).await("leads", BenchTimeouts.STEP);
                tookNanos.add(leads.number(0) - left.number(0));
            }
            return tookNanos.get(0);
        }

        void standAgain() throws Exception {
            queue(leaderFirst.get(0));
            Collections.swap(leaderFirst, 0, 1);
        }

        private void queue(BenchProcessHandle seat) throws Exception {
            elections.forEach(election -> seat.order("stand", 0, election));
            BenchTimeouts.awaitCandidates(store, standing, BenchTimeouts.STEP, SETTLE);
        }

        void close() {
            leaderFirst.forEach(BenchProcessHandle::close);
        }
    }
}
