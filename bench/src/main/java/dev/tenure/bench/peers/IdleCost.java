// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.BenchProcessHandle;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.store.BenchStore;
import dev.tenure.bench.peers.store.Counts;
import java.time.Duration;
import java.util.List;

/** Many clients, each with a session of its own, in one election, of which nothing happens: what the servers count. */
final class IdleCost implements PeerMeasurement {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final Duration WATCHED = TTL.multipliedBy(3);
    private static final String ELECTION = Kind.ELECTIONS + "idle";

    private final Figure requests;
    private final Figure writes = new Figure("... writes (proposals, rows) per second");

    IdleCost(Settings settings) {
        requests = new Figure("requests/s of " + settings.number("--candidates") + " idle candidates, TTL 6 s");
    }

    @Override
    public List<Figure> measure(BenchStore store, Settings settings) throws Exception {
        for (Kind kind : settings.among(store.withoutFloor())) {
            try (BenchProcessHandle seat = BenchProcessHandle.start(kind, store.address(kind), TTL)) {
                ManyCandidates.stand(store, seat, ELECTION, settings.number("--candidates"));
                BenchTimeouts.rest(TTL);
                Counts before = store.counts();
                BenchTimeouts.rest(WATCHED);
                Counts counted = store.counts().minus(before);
                requests.add(kind, (double) counted.requests() / WATCHED.toSeconds());
                writes.add(kind, (double) counted.writes() / WATCHED.toSeconds());
                ManyCandidates.leaveAll(store, seat, settings.number("--candidates"));
            } catch (NotFinished slow) {
                requests.failure(kind, "did not finish: " + slow.getMessage());
            }
        }
        return List.of(requests.atMost(store.idleInPeers(), store.peers(), 0), writes);
    }
}
