package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.seat.SeatProcess;
import dev.tenure.bench.peers.seat.Told;
import dev.tenure.bench.peers.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One process wins many elections and holds them; another one queues behind it in all, and takes over. */
final class ThousandsOfElections implements Measurement {
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration STEADY = Duration.ofSeconds(20);
    private static final Duration SETTLE = Duration.ofSeconds(1);

    private final Figure won;
    private final Figure heap = new Figure("... heap more than with one, MB");
    private final Figure threads = new Figure("... threads more than before the client");
    private final Figure requests = new Figure("... requests in 20 s of holding them, TTL 10 s");
    private final Figure perHeartbeat = new Figure("... requests per heartbeat");
    private final Figure queued = new Figure("... a standby queued in all of them after, s");
    private final Figure taken = new Figure("... closed, and the standby leads in all of them after, s");

    ThousandsOfElections(Settings settings) {
        won = new Figure(settings.number("--elections") + " elections won by one process, s");
    }

    @Override
    public List<Figure> measure(Store store, Settings settings) throws Exception {
        List<Kind> kinds = new ArrayList<>(settings.among(store.withoutFloor()));
        for (int repeat = 0; repeat < settings.number("--repeats"); repeat++) {
            for (Kind kind : List.copyOf(kinds)) {
                long before = store.candidates();
                if (!round(store, kind, Kind.ELECTIONS + "many" + repeat + "-", settings.number("--elections"))) {
                    kinds.remove(kind); // once is enough
                }
                Patience.awaitLeftovers(store, before);
            }
        }
        store.winWithinSeconds().ifPresentOrElse(won::atMost, () -> won.atMost(0.5, store.peer()));
        return List.of(
                won,
                heap.atMost(12),
                threads.atMost(8),
                requests,
                perHeartbeat.atMost(store.requestsPerHeartbeatMax()),
                queued,
                taken.atMost(0.75, store.peer()));
    }

    private boolean round(Store store, Kind kind, String prefix, int elections) throws Exception {
        Figure current = won;
        try (SeatProcess holder = SeatProcess.start(kind, store.address(kind), TTL);
                SeatProcess standby = SeatProcess.start(kind, store.address(kind), TTL)) {
            win(store, kind, holder, prefix, elections);
            current = taken;
            takeOver(store, kind, holder, standby, prefix, elections);
            return true;
        } catch (NotFinished slow) {
            current.trouble(kind, "did not finish: " + slow.getMessage());
            return false;
        }
    }

    private void win(Store store, Kind kind, SeatProcess holder, String prefix, int elections) throws Exception {
        long threadsBefore = cost(holder).number(1);
        holder.order("open", 0);
        holder.hear("opened", Patience.STEP);
        holder.order("stand", 0, Kind.ELECTIONS + "first");
        holder.hear("leads", Patience.STEP);
        long heapBefore = cost(holder).number(0);

        holder.order("many", 0, prefix, elections);
        long beganNanos = holder.hear("began", Patience.STEP).number(0);
        long wonNanos = holder.hear("leads-in-all", Patience.MANY).number(0);
        won.add(kind, (wonNanos - beganNanos) / 1e9);

        Told costs = cost(holder);
        heap.add(kind, (costs.number(0) - heapBefore) / 1e6);
        threads.add(kind, (double) (costs.number(1) - threadsBefore));
        Patience.rest(SETTLE);
        holdSteady(store, kind, holder);
    }

    private void holdSteady(Store store, Kind kind, SeatProcess holder) throws Exception {
        long requestsBefore = store.requests();
        long heartbeatsBefore = cost(holder).number(2);
        Patience.rest(STEADY);
        long sent = store.requests() - requestsBefore;
        long heartbeats = cost(holder).number(2) - heartbeatsBefore;
        requests.add(kind, (double) sent);
        if (heartbeats > 0) {
            perHeartbeat.add(kind, (double) sent / heartbeats);
        }
    }

    private void takeOver(Store store, Kind kind, SeatProcess holder, SeatProcess standby, String prefix, int elections)
            throws Exception {
        long before = store.candidates();
        standby.order("open", 0);
        standby.hear("opened", Patience.STEP);
        standby.order("many", 0, prefix, elections);
        long beganNanos = standby.hear("began", Patience.STEP).number(0);
        Patience.awaitCandidates(store, before + elections, Patience.MANY, Duration.ZERO);
        if (store.countsCandidates()) {
            queued.add(kind, (System.nanoTime() - beganNanos) / 1e9);
        }
        Patience.rest(SETTLE);

        holder.order("close", 0);
        long closingNanos = holder.hear("closing", Patience.STEP).number(0);
        long ledNanos = standby.hear("leads-in-all", Patience.MANY).number(0);
        taken.add(kind, (ledNanos - closingNanos) / 1e9);
        holder.hear("closed", Patience.MANY);
        standby.order("close", 0);
        standby.hear("closed", Patience.MANY);
    }

    private static Told cost(SeatProcess seat) throws Exception {
        seat.order("cost", 0);
        return seat.hear("costs", Patience.STEP);
    }
}
