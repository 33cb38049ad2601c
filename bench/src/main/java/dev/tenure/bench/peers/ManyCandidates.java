// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.BenchProcessHandle;
import dev.tenure.bench.peers.seat.BenchProcessLine;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.store.BenchStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Many clients, each with a session of its own, in one election, which passes from one to the next. Requests are those that
 * the servers have counted, from the release until all is quiet again, less those of the same time just before it.
 */
final class ManyCandidates implements PeerMeasurement {
    /** Long, so that keep-alives do not drown what is counted. */
    private static final Duration TTL = Duration.ofSeconds(40);

    private static final Duration SETTLE = Duration.ofMillis(300);
    private static final Duration SETTLE_UNCOUNTED = Duration.ofMillis(30);
    /** Classes are loaded, statements are prepared. */
    private static final int NOT_COUNTED = 10;

    private static final String ELECTION = Kind.ELECTIONS + "crowd";
    private static final int FEW = 2;
    private static final int SOME = 20;

    @Override
    public List<Figure> measure(BenchStore store, Settings settings) throws Exception {
        List<Figure> figures = new ArrayList<>();
        int most = settings.number("--candidates");
        Sample amongFew = Sample.NONE;
        for (int size : IntStream.of(FEW, SOME, most)
                .filter(size -> size <= most)
                .distinct()
                .toArray()) {
            Figure requests = new Figure("requests of a handover among " + size);
            Figure latency = new Figure("... from the call that leaves to the next one's begin, ms");
            for (Kind kind : settings.among(store.withoutFloor())) {
                try (BenchProcessHandle seat = BenchProcessHandle.start(kind, store.address(kind), TTL)) {
                    stand(store, seat, ELECTION, size);
                    int leader = seat.await("leads", BenchTimeouts.STEP).client();
                    for (int i = -NOT_COUNTED; i < settings.number("--handovers"); i++) {
                        Passed passed = handOver(store, seat, leader, i < 0 ? SETTLE_UNCOUNTED : SETTLE);
                        if (i >= 0) {
                            requests.add(kind, passed.requests());
                            latency.add(kind, passed.millis());
                        }
                        seat.order("stand", leader, ELECTION);
                        BenchTimeouts.awaitCandidates(store, size, BenchTimeouts.STEP, SETTLE_UNCOUNTED);
                        leader = passed.to();
                    }
                    leaveAll(store, seat, size);
                } catch (NotFinished slow) {
                    requests.failure(kind, "did not finish: " + slow.getMessage());
                }
            }
            amongFew = size == FEW ? latency.sample(Kind.TENURE) : amongFew;
            figures.add(requests.atMost(store.crowdRequestsMax()));
            figures.add(size == FEW || amongFew.isEmpty() ? latency : latency.atMost(2 * amongFew.median()));
        }
        return figures;
    }

    /** So many clients in one process, each in that election. */
    static void stand(BenchStore store, BenchProcessHandle seat, String election, int size) throws Exception {
        for (int client = 0; client < size; client++) {
            seat.order("open", client);
            seat.await("opened", BenchTimeouts.STEP);
            seat.order("stand", client, election);
            BenchTimeouts.awaitCandidates(store, client + 1, BenchTimeouts.STEP, Duration.ZERO);
        }
    }

    static void leaveAll(BenchStore store, BenchProcessHandle seat, int size) throws InterruptedException {
        for (int client = 0; client < size; client++) {
            seat.order("close", client);
        }
        BenchTimeouts.awaitLeftovers(store, 0);
    }

    /** One handover. */
    private record Passed(int to, double requests, double millis) {}

    private static Passed handOver(BenchStore store, BenchProcessHandle seat, int leader, Duration settle)
            throws Exception {
        long before = store.counts().requests();
        BenchTimeouts.rest(settle);
        long quiet = store.counts().requests();
        seat.order("leave", leader, ELECTION);
        BenchProcessLine left = seat.await("left", BenchTimeouts.STEP);
        BenchProcessLine leads = seat.await("leads", BenchTimeouts.STEP);
        BenchTimeouts.rest(settle);
        long counted = store.counts().requests() - quiet - (quiet - before);
        return new Passed(leads.client(), counted, (leads.number(0) - left.number(0)) / 1e6);
    }
}
