// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.BenchProcessHandle;
import dev.tenure.bench.peers.seat.BenchProcessLine;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.store.BenchStore;
import dev.tenure.bench.peers.store.Counts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One process wins many elections and holds them; another one queues behind it in all, and takes over. */
final class ThousandsOfElections implements PeerMeasurement {
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration STEADY = Duration.ofSeconds(20);
    /** Threads that are not needed any more have ended by then. */
    private static final Duration AT_REST = Duration.ofSeconds(6);

    private final Figure won;
    private final Figure heap = new Figure("... heap more than with one, MB");
    private final Figure threads = new Figure("... threads at rest, more than before the client");
    private final Figure requests = new Figure("... requests/s of holding them, TTL 10 s");
    private final Figure renewals = new Figure("... renewals of the session in 20 s");
    private final Figure perHeartbeat = new Figure("... requests per renewal");
    private final Figure queued = new Figure("... a standby queued in all of them after, s");
    private final Figure standbyRequests = new Figure("... requests/s of that standby");
    private final Figure standbyReads = new Figure("... reads inside each");
    private final Figure taken = new Figure("... closed, and the standby leads in all of them after, s");
    private final Duration timeout;

    ThousandsOfElections(Settings settings) {
        won = new Figure(settings.number("--elections") + " elections won by one process, s");
        timeout = settings.timeout();
    }

    @Override
    public List<Figure> measure(BenchStore store, Settings settings) throws Exception {
        List<Kind> kinds = new ArrayList<>(settings.among(store.withoutFloor()));
        for (int repeat = 0; repeat < settings.number("--repeats"); repeat++) {
            for (Kind kind : List.copyOf(kinds)) {
                long before = store.candidates();
                if (!round(store, kind, Kind.ELECTIONS + "many" + repeat + "-", settings.number("--elections"))) {
                    kinds.remove(kind); // once is enough
                }
                BenchTimeouts.awaitLeftovers(store, before);
            }
        }
        return List.of(
                store.peers().isEmpty() ? won : won.atMost(0.5, store.peers(), 0),
                heap.atMost(20),
                threads.atMost(16),
                requests,
                renewals,
                perHeartbeat.atMost(store.requestsPerHeartbeatMax()),
                queued,
                standbyRequests.atMost(2),
                standbyReads.atMost(10),
                taken.atMost(2));
    }

    private boolean round(BenchStore store, Kind kind, String prefix, int elections) throws Exception {
        Figure current = won;
        try (BenchProcessHandle holder = BenchProcessHandle.start(kind, store.address(kind), TTL);
                BenchProcessHandle standby = BenchProcessHandle.start(kind, store.address(kind), TTL)) {
            win(kind, holder, prefix, elections);
            Counts idle = holdSteady(store, kind, holder);
            current = queued;
            queue(store, kind, standby, prefix, elections);
            standBy(store, kind, idle);
            current = taken;
            takeOver(kind, holder, standby);
            return true;
        } catch (NotFinished slow) {
            current.failure(kind, "did not finish: " + slow.getMessage());
            return false;
        }
    }

    private void win(Kind kind, BenchProcessHandle holder, String prefix, int elections) throws Exception {
        long threadsBefore = cost(holder).number(1);
        holder.order("open", 0);
        holder.await("opened", BenchTimeouts.STEP);
        holder.order("stand", 0, Kind.ELECTIONS + "first");
        holder.await("leads", BenchTimeouts.STEP);
        long heapBefore = cost(holder).number(0);

        holder.order("many", 0, prefix, elections);
        long beganNanos = holder.await("began", BenchTimeouts.STEP).number(0);
        long wonNanos = holder.await("leads-in-all", timeout).number(0);
        won.add(kind, (wonNanos - beganNanos) / 1e9);

        BenchTimeouts.rest(AT_REST);
        BenchProcessLine costs = cost(holder);
        heap.add(kind, (costs.number(0) - heapBefore) / 1e6);
        threads.add(kind, (double) (costs.number(1) - threadsBefore));
    }

    private Counts holdSteady(BenchStore store, Kind kind, BenchProcessHandle holder) throws Exception {
        long before = cost(holder).number(2);
        Counts counted = steady(store);
        long heartbeats = cost(holder).number(2) - before;
        if (store.countsRequests()) {
            requests.add(kind, (double) counted.requests() / STEADY.toSeconds());
        }
        if (heartbeats > 0) {
            renewals.add(kind, (double) heartbeats);
        }
        if (heartbeats > 0 && store.countsRequests()) {
            perHeartbeat.add(kind, (double) counted.requests() / heartbeats);
        }
        return counted;
    }

    private static Counts steady(BenchStore store) throws InterruptedException {
        Counts before = store.counts();
        BenchTimeouts.rest(STEADY);
        return store.counts().minus(before);
    }

    private void queue(BenchStore store, Kind kind, BenchProcessHandle standby, String prefix, int elections)
            throws Exception {
        long before = store.candidates();
        standby.order("open", 0);
        standby.await("opened", BenchTimeouts.STEP);
        standby.order("many", 0, prefix, elections);
        long beganNanos = standby.await("began", BenchTimeouts.STEP).number(0);
        BenchTimeouts.awaitCandidates(store, before + elections, timeout, Duration.ZERO);
        if (store.countsCandidates()) {
            queued.add(kind, (System.nanoTime() - beganNanos) / 1e9);
        }
        BenchTimeouts.rest(AT_REST);
    }

    /** What both cost, less what the holder alone did. */
    private void standBy(BenchStore store, Kind kind, Counts ofHolder) throws InterruptedException {
        Counts counted = steady(store).minus(ofHolder);
        if (store.countsRequests()) {
            standbyRequests.add(kind, (double) counted.requests() / STEADY.toSeconds());
        }
        if (store.countsReads() && counted.requests() > 0) {
            standbyReads.add(kind, (double) counted.reads() / counted.requests());
        }
    }

    private void takeOver(Kind kind, BenchProcessHandle holder, BenchProcessHandle standby) throws Exception {
        holder.order("close", 0);
        long closingNanos = holder.await("closing", BenchTimeouts.STEP).number(0);
        long ledNanos = standby.await("leads-in-all", timeout).number(0);
        taken.add(kind, (ledNanos - closingNanos) / 1e9);
        holder.await("closed", timeout);
        standby.order("close", 0);
        standby.await("closed", timeout);
    }

    private static BenchProcessLine cost(BenchProcessHandle seat) throws Exception {
        seat.order("cost", 0);
        return seat.await("costs", BenchTimeouts.STEP);
    }
}
