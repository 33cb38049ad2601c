// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** One fault for one contender: one of its two processes is struck. */
final class FaultRun {
    static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Duration AHEAD = Duration.ofSeconds(20);
    private static final Duration AHEAD_FOR = Duration.ofSeconds(10);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
    private static final int WARM_UP = 3;
    private static final int SUCCESSOR_EFFECTS = 2;
    private static final long PERIOD = JobRunner.PERIOD.toMillis();

    private static final String STALE = "SELECT count(*) FROM effect e JOIN begun b ON b.run = e.run WHERE EXISTS"
            + " (SELECT 1 FROM begun o WHERE o.process <> b.process AND o.at > b.at AND o.at < e.at)";

    private final JobPair pair;
    private final FaultCase fault;
    private final Connection asking;

    /**
     * @param effects rows, for due times since shortly before the fault
     * @param twice rows of a due time that has one already
     * @param lost due times without a row
     * @param stale rows whose writer began before another process began, and wrote after that
     */
    record Tally(long effects, long twice, long lost, long stale) {
        static final Tally NONE = new Tally(0, 0, 0, 0);

        Tally plus(Tally other) {
            return new Tally(effects + other.effects, twice + other.twice, lost + other.lost, stale + other.stale);
        }
    }

    private FaultRun(JobPair pair, FaultCase fault, Connection asking) {
        this.pair = pair;
        this.fault = fault;
        this.asking = asking;
    }

    static Tally measure(JobPair pair, FaultCase fault) throws Exception {
        try (Connection asking = DriverManager.getConnection(pair.url())) {
            return new FaultRun(pair, fault, asking).measure();
        }
    }

    private Tally measure() throws Exception {
        await("the first effects", "SELECT count(*) >= " + WARM_UP + " FROM effect WHERE run > " + lastRun());
        long fromDue = number("SELECT max(due) FROM effect");
        String last = ask("SELECT process FROM begun ORDER BY run DESC LIMIT 1");
        boolean isFirst = last.equals(pair.first().node());
        JobProcess charged = isFirst ? pair.first() : pair.second();
        JobProcess other = isFirst ? pair.second() : pair.first();
        if (fault.isClock()) {
            JobProcess moved = fault == FaultCase.CLOCK_IN_CHARGE ? charged : other;
            moved.moveClock(AHEAD);
            TimeUnit.NANOSECONDS.sleep(AHEAD_FOR.toNanos());
            moved.moveClock(Duration.ZERO);
            TimeUnit.NANOSECONDS.sleep(AHEAD.toNanos()); // what was done too early is not done again before
        } else {
            inject(charged, other);
        }
        awaitOnTime();
        return tally(fromDue);
    }

    private void inject(JobProcess charged, JobProcess other) throws Exception {
        charged.order(fault.signal());
        charged.await("struck");
        long lastRun = lastRun();
        if (fault != FaultCase.STOP) {
            charged.awaitEnd();
        }
        await(
                "a successor",
                "SELECT count(*) >= " + SUCCESSOR_EFFECTS + " FROM effect WHERE process = '" + other.node()
                        + "' AND run > " + lastRun);
        if (fault == FaultCase.STOP) {
            charged.forget("ended");
            charged.wake();
            charged.await("ended");
        }
    }

    /** Everything that is caught up with has been, and two periods more, for what is repeated late. */
    private void awaitOnTime() throws Exception {
        await(
                "effects on time",
                "SELECT max(due) > extract(epoch FROM clock_timestamp()) * 1000 - " + 2 * PERIOD
                        + " AND count(*) >= 2 FROM effect WHERE run > " + lastRun());
        TimeUnit.MILLISECONDS.sleep(2 * PERIOD);
    }

    private Tally tally(long fromDue) throws SQLException {
        // In one statement: the processes go on.
        String[] counted =
                ask("SELECT concat_ws(' ', count(*), count(*) - count(DISTINCT due), (max(due) - min(due)) / " + PERIOD
                                + " + 1 - count(DISTINCT due), (" + STALE + ")) FROM effect WHERE due >= " + fromDue)
                        .split(" ");
        return new Tally(
                Long.parseLong(counted[0]),
                Long.parseLong(counted[1]),
                Long.parseLong(counted[2]),
                Long.parseLong(counted[3]));
    }

    private long lastRun() throws SQLException {
        return number("SELECT COALESCE(max(run), 0) FROM begun");
    }

    private void await(String what, String query) throws Exception {
        long byNanos = System.nanoTime() + PATIENCE.toNanos();
        while (!ask(query).equals("t")) {
            if (System.nanoTime() - byNanos > 0) {
                throw new IllegalStateException(
                        pair.kind().title() + ": waited " + PATIENCE.toSeconds() + " s for " + what + ": " + query);
            }
            TimeUnit.NANOSECONDS.sleep(LOOK_AGAIN.toNanos());
        }
    }

    private long number(String query) throws SQLException {
        return Long.parseLong(ask(query));
    }

    private String ask(String query) throws SQLException {
        try (Statement statement = asking.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}
