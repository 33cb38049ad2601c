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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
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

    private FenceCost() {}

    public static void measure(int seconds, PrintStream out) throws Exception {
        try (Postgres server = Postgres.running("fsync=on", "synchronous_commit=on", "full_page_writes=on")) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(server.url());
            config.setMaximumPoolSize(CROWD);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                prepare(pool);
                FencedSql fence = FencedSql.guarding(pool, RESOURCE);
                Map<String, Way> ways = new TreeMap<>();
                ways.put("1 without a fence", () -> plainly(pool, "plain"));
                ways.put("2 FencedSql", () -> fence.write(TERM, connection -> insert(connection, "fenced")));
                ways.put(
                        "3 FencedSql and trigger",
                        () -> fence.write(TERM, connection -> insert(connection, "guarded")));
                ways.put("4 trigger, token shown by hand", () -> shown(pool));
                for (int writers : new int[] {1, CROWD}) {
                    report(compare(ways, writers, seconds), writers, out);
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

    private static void insert(Connection connection, String table) throws SQLException {
        try (var insert = connection.prepareStatement("INSERT INTO " + table + " (line) VALUES (?)")) {
            insert.setString(1, LINE);
            insert.executeUpdate();
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

    /** Microseconds per transaction of each round, by the contender's name. */
    private static Map<String, List<Double>> compare(Map<String, Way> ways, int writers, int seconds) throws Exception {
        Map<String, List<Double>> micros = new TreeMap<>();
        for (Way way : ways.values()) {
            for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                round(way, writers);
            }
        }
        int rounds = Math.max(3, seconds * 1000 / ROUND_MILLIS / ways.size());
        for (int i = 0; i < rounds; i++) {
            for (Map.Entry<String, Way> each : ways.entrySet()) {
                micros.computeIfAbsent(each.getKey(), any -> new ArrayList<>()).add(round(each.getValue(), writers));
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

    private static void report(Map<String, List<Double>> micros, int writers, PrintStream out) {
        double base = median(micros.getOrDefault("1 without a fence", List.of()));
        out.printf(
                Locale.ROOT,
                "%d writer%s of one term, microseconds per transaction:%n",
                writers,
                writers == 1 ? "" : "s");
        micros.forEach((name, rounds) -> out.printf(
                Locale.ROOT,
                "  %-32s %8.1f   %.2f x   (middle of %d rounds, %.1f to %.1f)%n",
                name.substring(2),
                median(rounds),
                median(rounds) / base,
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
