package dev.tenure.bench.advisory;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.SeatProcess;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Processes that lead one election after the other on a real PostgreSQL that writes through to the disk. Every figure is the
 * time between two processes, by the machine's own clock; the floor is taken in turns with them.
 */
public final class Advisory {
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration STEP = Duration.ofSeconds(60);
    /** Processes start, classes are loaded. */
    private static final int NOT_COUNTED = 30;
    /** Each process plays each part in every second one: less often than what the JVM compiles by default, 200 times. */
    private static final int EARLY = 150;

    private static final int WARM_UP = 500;
    /** Nobody is handed anything right after somebody else: processes and caches are as cold for the floor as for us. */
    static final long REST_MILLIS = 30;

    private static final int KILLS = 15;
    private static final String ELECTION = Kind.ELECTIONS + "handover";

    private final Postgres server;
    private final PrintStream out;

    private Advisory(Postgres server, PrintStream out) {
        this.server = server;
        this.out = out;
    }

    public static void measure(int rounds, int elections, PrintStream out) throws Exception {
        try (Postgres server = Postgres.running("fsync=on", "max_connections=100", "max_locks_per_transaction=512")) {
            Advisory bench = new Advisory(server, out);
            bench.handovers(rounds);
            bench.kills(1);
            bench.kills(100);
            bench.many(elections);
        }
    }

    private String url(String prefix) {
        return "postgresql+advisory://" + SqlServer.USER + ":" + SqlServer.PASSWORD + "@127.0.0.1:" + server.port()
                + "/postgres?tenure.prefix=" + prefix;
    }

    private void handovers(int rounds) throws Exception {
        Medians floor = new Medians("floor: pg_advisory_unlock to a successor inside pg_advisory_lock");
        Medians awaited = new Medians("handover of one awaited election, from the end of the duty");
        Medians notified = new Medians("handover by NOTIFY, to a standby of two elections");
        Medians early = new Medians("handover of one awaited election, before it was compiled");
        Medians earlyNotified = new Medians("handover by NOTIFY, before it was compiled");
        try (Floor raw = new Floor(server);
                Pair one = new Pair("one_", List.of(ELECTION));
                Pair two = new Pair("two_", List.of(ELECTION, ELECTION + "-2"))) {
            for (int round = 0; round < WARM_UP + rounds; round++) {
                long floorNanos = raw.handOver();
                long awaitedNanos = one.handOver();
                long notifiedNanos = two.handOver();
                if (round >= NOT_COUNTED && round < NOT_COUNTED + EARLY) {
                    early.add(awaitedNanos);
                    earlyNotified.add(notifiedNanos);
                }
                if (round >= WARM_UP) {
                    floor.add(floorNanos);
                    awaited.add(awaitedNanos);
                    notified.add(notifiedNanos);
                }
            }
        }
        floor.print(out);
        awaited.print(out);
        notified.print(out);
        early.print(out);
        earlyNotified.print(out);
        out.printf(
                Locale.ROOT,
                "%-66s %8.2f%n",
                "one awaited election, in floors",
                awaited.medianMillis() / floor.medianMillis());
    }

    private SeatProcess seat(String prefix) throws Exception {
        SeatProcess seat = SeatProcess.start(Kind.TENURE, url(prefix), TTL);
        seat.order("open", 0);
        seat.hear("opened", STEP);
        return seat;
    }

    /** Who waits for one election is in the queue for it; who waits for more waits for the end of the leader, as that does. */
    private void awaitStandby(int elections) throws InterruptedException {
        String query = elections == 1
                ? "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND mode = 'ExclusiveLock'"
                : "SELECT count(*) FROM (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                        + " AND mode = 'ShareLock' GROUP BY classid, objid HAVING count(*) > 1) l";
        while (server.ask(query).equals("0")) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
    }

    private void kills(int elections) throws Exception {
        Medians figure = new Medians("kill -9 of the leader's process, until a standby of " + elections + " leads");
        String prefix = "kill" + elections + "_";
        SeatProcess leader = seat(prefix);
        standIn(leader, elections);
        for (int i = 0; i < elections; i++) {
            leader.hear("leads", STEP);
        }
        for (int kill = 0; kill < KILLS; kill++) {
            SeatProcess standby = seat(prefix);
            standIn(standby, elections);
            awaitStandby(elections);
            TimeUnit.MILLISECONDS.sleep(300);
            long begunNanos = System.nanoTime();
            leader.close();
            long lastNanos = 0;
            for (int i = 0; i < elections; i++) {
                lastNanos = Math.max(lastNanos, standby.hear("leads", STEP).number(0));
            }
            figure.add(lastNanos - begunNanos);
            leader = standby;
        }
        leader.close();
        figure.print(out);
    }

    private static void standIn(SeatProcess seat, int elections) {
        for (int i = 0; i < elections; i++) {
            seat.order("stand", 0, ELECTION + "-" + i);
        }
    }

    private void many(int elections) throws Exception {
        try (SeatProcess seat = SeatProcess.start(Kind.TENURE, url("many_"), TTL)) {
            seat.order("cost", 0);
            long threadsBefore = seat.hear("costs", STEP).number(1);
            seat.order("open", 0);
            seat.hear("opened", STEP);
            seat.order("many", 0, ELECTION, elections);
            long begunNanos = seat.hear("began", STEP).number(0);
            long ledNanos = seat.hear("leads-in-all", STEP).number(0);
            out.printf(
                    Locale.ROOT,
                    "%-66s %8.2f s%n",
                    elections + " elections won by one process",
                    (ledNanos - begunNanos) / 1e9);
            TimeUnit.NANOSECONDS.sleep(TTL.toNanos());
            seat.order("cost", 0);
            long threads = seat.hear("costs", STEP).number(1) - threadsBefore;
            out.printf(Locale.ROOT, "%-66s %8d%n", "threads more than before the client was opened", threads);
            out.printf(
                    Locale.ROOT,
                    "%-66s %8s%n",
                    "connections of that process",
                    server.ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tenure'"));
        }
    }

    /** The leader, and the one that waits for it. */
    private final class Pair implements AutoCloseable {
        private final List<String> elections;
        private final List<SeatProcess> leaderFirst = new ArrayList<>();

        Pair(String prefix, List<String> elections) throws Exception {
            this.elections = elections;
            for (int i = 0; i < 2; i++) {
                leaderFirst.add(seat(prefix));
            }
            for (String election : elections) {
                leaderFirst.get(0).order("stand", 0, election);
                leaderFirst.get(0).hear("leads", STEP);
            }
            elections.forEach(election -> leaderFirst.get(1).order("stand", 0, election));
            settle();
        }

        /** All of them go over; what is measured is the first. */
        long handOver() throws Exception {
            SeatProcess leader = leaderFirst.get(0);
            SeatProcess next = leaderFirst.get(1);
            long tookNanos = 0;
            for (String election : elections) {
                leader.order("leave", 0, election);
                long leftNanos = leader.hear("left", STEP).number(1);
                long ledNanos = next.hear("leads", STEP).number(0);
                tookNanos = tookNanos == 0 ? ledNanos - leftNanos : tookNanos;
            }
            elections.forEach(election -> leader.order("stand", 0, election));
            settle();
            leaderFirst.set(0, next);
            leaderFirst.set(1, leader);
            return tookNanos;
        }

        private void settle() throws InterruptedException {
            awaitStandby(elections.size());
        }

        @Override
        public void close() {
            leaderFirst.forEach(SeatProcess::close);
        }
    }
}
