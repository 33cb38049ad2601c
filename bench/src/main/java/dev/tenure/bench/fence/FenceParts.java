// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.fence;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.sql.servers.Postgres;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;

/**
 * {@code bench/run fence-parts [N]}: what the cost of a fenced write consists of. Each way adds one thing to the way before
 * it; a transaction of each in turn, to and fro and each time begun by another one, so that a busy moment of the machine
 * falls on all of them. With a server that waits for its disk, and with one that does not.
 */
public final class FenceParts {
    private static final String LINE = "x".repeat(200);
    private static final Term TERM = new Term(ElectionName.of("ledger"), new FencingToken(1), new Nonce(1, 1), "bench");
    private static final int WARM_UP = 3000;
    private static final String ROW = "SELECT election, store, token, nonce";
    private static final String FROM = " FROM tenure_fence WHERE resource = 'ledger'";
    private static final String SETTINGS = ", set_config('tenure.bench', '1/0/ledger', true)"
            + ", set_config('idle_in_transaction_session_timeout', '5000', true)";

    /** One step of a transaction. */
    private interface Step {
        void on(Connection connection) throws SQLException;
    }

    private interface Way {
        void write() throws Exception;
    }

    /** A way to write, and what each of its transactions took. */
    private static final class Contender {
        private final String name;
        private final Way way;
        private final long[] nanos;

        Contender(String name, Way way, int transactions) {
            this.name = name;
            this.way = way;
            this.nanos = new long[transactions];
        }
    }

    private FenceParts() {}

    public static void measure(int transactions, PrintStream out) throws Exception {
        for (String disk : List.of("on", "off")) {
            try (Postgres server = Postgres.running("fsync=" + disk, "synchronous_commit=on")) {
                HikariConfig config = new HikariConfig();
                config.setJdbcUrl(server.url());
                config.setMaximumPoolSize(1);
                try (HikariDataSource pool = new HikariDataSource(config)) {
                    out.println("fsync=" + disk + ", " + transactions + " transactions of each, microseconds:");
                    List<Contender> contenders = contenders(pool, transactions);
                    run(contenders, transactions);
                    print(contenders, out);
                }
            }
        }
    }

    private static List<Contender> contenders(DataSource source, int transactions) throws Exception {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE book (id BIGSERIAL PRIMARY KEY, line TEXT NOT NULL)");
        }
        FencedSql fence = FencedSql.guarding(source, "ledger");
        fence.raise(TERM);
        Map<String, Way> ways = new LinkedHashMap<>();
        ways.put("without a fence", () -> write(source, FenceParts::insert, Connection::commit));
        ways.put("one more round trip (SELECT 1)", () -> write(source, then(query("SELECT 1")), Connection::commit));
        ways.put("... which reads the fence's row", () -> write(source, then(query(ROW + FROM)), Connection::commit));
        ways.put("... FOR SHARE", () -> write(source, then(query(ROW + FROM + " FOR SHARE")), Connection::commit));
        ways.put(
                "... with its two settings",
                () -> write(source, then(query(ROW + SETTINGS + FROM + " FOR SHARE")), Connection::commit));
        ways.put(
                "... begun in the same text",
                () -> begun(source, "BEGIN; " + ROW + SETTINGS + FROM + " FOR SHARE", FenceParts::insert));
        ways.put("FencedSql.write", () -> fence.write(TERM, FenceParts::insert));
        ways.put(
                "(compared last, with the commit)",
                () -> write(source, FenceParts::insert, query(ROW + FROM + " FOR SHARE; COMMIT")));
        ways.put(
                "(in one text with the INSERT)",
                () -> write(source, insertAfter(ROW + SETTINGS + FROM + " FOR SHARE"), Connection::commit));
        ways.put("one statement, without a fence", () -> alone(source));
        ways.put(
                "FencedSql.update, one round trip",
                () -> fence.update(TERM, "INSERT INTO book (line) VALUES (?)", LINE));
        List<Contender> all = new ArrayList<>();
        ways.forEach((name, way) -> all.add(new Contender(name, way, transactions)));
        return all;
    }

    private static void write(DataSource source, Step work, Step last) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            work.on(connection);
            last.on(connection);
            connection.setAutoCommit(true);
        }
    }

    /** The transaction is begun by the text, and only then is the driver told. */
    private static void begun(DataSource source, String first, Step work) throws SQLException {
        try (Connection connection = source.getConnection()) {
            query(first).on(connection);
            connection.setAutoCommit(false);
            work.on(connection);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private static void alone(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection()) {
            insert(connection);
        }
    }

    private static void insert(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO book (line) VALUES (?)")) {
            insert.setString(1, LINE);
            insert.executeUpdate();
        }
    }

    /** Both in one round trip. */
    private static Step insertAfter(String query) {
        String text = query + "; INSERT INTO book (line) VALUES (?)";
        return connection -> {
            try (PreparedStatement both = connection.prepareStatement(text)) {
                both.setString(1, LINE);
                both.execute();
                both.getMoreResults();
            }
        };
    }

    private static Step then(Step first) {
        return connection -> {
            first.on(connection);
            insert(connection);
        };
    }

    private static Step query(String sql) {
        return connection -> {
            try (PreparedStatement query = connection.prepareStatement(sql)) {
                query.execute();
            }
        };
    }

    private static void run(List<Contender> contenders, int transactions) throws Exception {
        List<Contender> order = new ArrayList<>(contenders);
        for (int i = -WARM_UP; i < transactions; i++) {
            Collections.reverse(order);
            Collections.rotate(order, 1);
            for (Contender each : order) {
                long begun = System.nanoTime();
                each.way.write();
                if (i >= 0) {
                    each.nanos[i] = System.nanoTime() - begun;
                }
            }
        }
    }

    private static void print(List<Contender> contenders, PrintStream out) {
        contenders.forEach(each -> Arrays.sort(each.nanos));
        long[] plain = contenders.get(0).nanos;
        contenders.forEach(each -> {
            out.printf(Locale.ROOT, "  %-40s", each.name);
            for (int tenths : new int[] {1, 5}) {
                double micros = at(each.nanos, tenths);
                out.printf(Locale.ROOT, "  p%d0 %7.1f (%+.1f)", tenths, micros, micros - at(plain, tenths));
            }
            out.println();
        });
    }

    private static double at(long[] sorted, int tenths) {
        return sorted[sorted.length * tenths / 10] / 1000.0;
    }
}
