// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.fence;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.fence.sql.TableGuard;
import dev.tenure.sql.servers.Postgres;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;

/**
 * {@code bench/run fence [SECONDS]}: one row of 200 bytes per transaction, on a PostgreSQL that waits for its disk, by each
 * contender in turn and in short rounds, so that what the machine does besides falls on all of them.
 */
public final class FenceCost {
    private static final String LINE = "x".repeat(200);
    private static final String RESOURCE = "ledger";
    private static final Term TERM = new Term(ElectionName.of("ledger"), new FencingToken(1), new Nonce(1, 1), "bench");
    private static final int ROUND_MILLIS = 500;
    private static final int WARM_UP_ROUNDS = 8;
    private static final int CROWD = 8;

    /** A way to write one row. */
    private interface Way {
        void write() throws Exception;
    }

    /** @param plain the place of the contender that does the same without a fence */
    private record Contender(String name, int plain, Way way) {}

    private static final int PLAIN_STATEMENT = 0;
    private static final int PLAIN_TRANSACTION = 2;

    private FenceCost() {}

    public static void measure(int seconds, PrintStream out) throws Exception {
        try (Postgres server = Postgres.running("fsync=on", "synchronous_commit=on", "full_page_writes=on")) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(server.url());
            config.setMaximumPoolSize(CROWD);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                prepare(pool);
                FencedSql fence = FencedSql.guarding(pool, RESOURCE);
                List<Contender> contenders = List.of(
                        new Contender("one statement, without a fence", PLAIN_STATEMENT, () -> alone(pool, "plain")),
                        new Contender(
                                "one statement, FencedSql.update",
                                PLAIN_STATEMENT,
                                () -> fence.update(TERM, insertInto("fenced"), LINE)),
                        new Contender("without a fence", PLAIN_TRANSACTION, () -> plainly(pool, "plain")),
                        new Contender(
                                "FencedSql.write",
                                PLAIN_TRANSACTION,
                                () -> fence.write(TERM, connection -> insert(connection, "fenced"))),
                        new Contender(
                                "FencedSql.write and trigger",
                                PLAIN_TRANSACTION,
                                () -> fence.write(TERM, connection -> insert(connection, "guarded"))),
                        new Contender("trigger, token shown by hand", PLAIN_TRANSACTION, () -> shown(pool)));
                for (int writers : new int[] {1, CROWD}) {
                    report(compare(contenders, writers, seconds), writers, out);
                }
            }
        }
    }

    private static void prepare(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : List.of("plain", "fenced", "guarded")) {
                statement.execute("CREATE TABLE " + table + " (id BIGSERIAL PRIMARY KEY, line TEXT NOT NULL)");
            }
            TableGuard.at(connection).install(RESOURCE, TERM.election(), List.of("guarded"));
        }
    }

    private static String insertInto(String table) {
        return "INSERT INTO " + table + " (line) VALUES (?)";
    }

    private static void insert(Connection connection, String table) throws SQLException {
        try (var insert = connection.prepareStatement(insertInto(table))) {
            insert.setString(1, LINE);
            insert.executeUpdate();
        }
    }

    private static void alone(DataSource source, String table) throws SQLException {
        try (Connection connection = source.getConnection()) {
            insert(connection, table);
        }
    }

    private static void plainly(DataSource source, String table) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            insert(connection, table);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private static void shown(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try (var present = connection.prepareStatement("SELECT tenure_present(?, ?, ?, ?)")) {
                present.setString(1, RESOURCE);
                present.setString(2, TERM.election().value());
                present.setLong(3, TERM.token().value());
                present.setString(4, TERM.nonce().toString());
                present.execute();
            }
            insert(connection, "guarded");
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /** Microseconds per transaction of each round, by the contender. */
    private static Map<Contender, List<Double>> compare(List<Contender> contenders, int writers, int seconds)
            throws Exception {
        Map<Contender, List<Double>> micros = new LinkedHashMap<>();
        for (Contender each : contenders) {
            for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                round(each.way(), writers);
            }
        }
        int rounds = Math.max(3, seconds * 1000 / ROUND_MILLIS / contenders.size());
        for (int i = 0; i < rounds; i++) {
            for (Contender each : contenders) {
                micros.computeIfAbsent(each, any -> new ArrayList<>()).add(round(each.way(), writers));
            }
        }
        return micros;
    }

    private static double round(Way way, int writers) throws Exception {
        long[] counts = new long[writers];
        Thread[] threads = new Thread[writers];
        Throwable[] failures = new Throwable[writers];
        long begun = System.nanoTime();
        long until = begun + ROUND_MILLIS * 1_000_000L;
        for (int i = 0; i < writers; i++) {
            int self = i;
            threads[i] = new Thread(() -> {
                try {
                    while (System.nanoTime() < until) {
                        way.write();
                        counts[self]++;
                    }
                } catch (Exception failure) {
                    failures[self] = failure;
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Throwable failure : failures) {
            if (failure != null) {
                throw new IllegalStateException("a writer failed", failure);
            }
        }
        return (System.nanoTime() - begun) / 1000.0 / Arrays.stream(counts).sum();
    }

    private static void report(Map<Contender, List<Double>> micros, int writers, PrintStream out) {
        List<Double> medians = micros.values().stream().map(FenceCost::median).toList();
        out.printf(
                Locale.ROOT,
                "%d writer%s of one term, microseconds per transaction:%n",
                writers,
                writers == 1 ? "" : "s");
        micros.forEach((contender, rounds) -> out.printf(
                Locale.ROOT,
                "  %-32s %8.1f   %.2f x   (middle of %d rounds, %.1f to %.1f)%n",
                contender.name(),
                median(rounds),
                median(rounds) / medians.get(contender.plain()),
                rounds.size(),
                quantile(rounds, 0.1),
                quantile(rounds, 0.9)));
    }

    private static double median(List<Double> values) {
        return quantile(values, 0.5);
    }

    private static double quantile(List<Double> values, double part) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get((int) Math.round(part * (sorted.size() - 1)));
    }
}
