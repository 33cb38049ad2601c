// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.sql.servers.MariaDb;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** One server of each kind for all tests, with a pool as users have it; they end with the JVM. */
enum Database {
    POSTGRESQL("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%?%'"),
    MARIADB(
            "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE '%?%'"),
    H2(
            "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL AND executing_statement LIKE '%?%'");

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final Duration RENEWED_AFTER = Duration.ofMillis(120);
    private static final Object TURN = new Object();
    private static long lookedNanos = System.nanoTime();

    private final String waiting;
    private volatile HikariDataSource pool;

    Database(String waiting) {
        this.waiting = waiting;
    }

    DataSource source() {
        synchronized (this) {
            if (pool == null) {
                pool = pool(40);
            }
            return pool;
        }
    }

    HikariDataSource pool(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    private String url() {
        return switch (this) {
            case POSTGRESQL -> Servers.postgres().url();
            case MARIADB -> Servers.mariaDb().url();
            case H2 -> "jdbc:h2:mem:fences;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=3000";
        };
    }

    /** A name that no other test uses. */
    static String freshName(String what) {
        return what + "_" + NAMES.incrementAndGet();
    }

    /** A table of lines, in the order in which they came. */
    String freshLedger() throws SQLException {
        String table = freshName("ledger");
        createLedger(table);
        return table;
    }

    void createLedger(String table) throws SQLException {
        String id = this == POSTGRESQL ? "id BIGSERIAL PRIMARY KEY" : "id BIGINT AUTO_INCREMENT PRIMARY KEY";
        execute("CREATE TABLE IF NOT EXISTS " + table + " (" + id + ", line VARCHAR(200) NOT NULL)");
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** MariaDB shows anew who waits only when nobody has looked for a tenth of a second. */
    Duration looksEvery() {
        return Duration.ofMillis(this == MARIADB ? 130 : 5);
    }

    /** Raises a fence from elsewhere, as its next leader does. */
    void raise(String resource, Term term) throws SQLException {
        try {
            FencedSql.guarding(source(), resource).raise(term);
        } catch (StaleTokenException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /**
     * A connection beside the pool.
     *
     * @param parameters of the driver, each with an ampersand in front
     */
    Connection connect(String... parameters) throws SQLException {
        return DriverManager.getConnection(url() + String.join("", parameters));
    }

    /** How the server names this connection to others. */
    String idOf(Connection connection) throws SQLException {
        return switch (this) {
            case POSTGRESQL -> Sql.column(connection, "SELECT pg_backend_pid()").get(0);
            case MARIADB -> Sql.column(connection, "SELECT CONNECTION_ID()").get(0);
            case H2 -> throw new IllegalStateException("it runs inside the process");
        };
    }

    /** The statement that ends this connection from another one. */
    String endingOf(Connection connection) throws SQLException {
        String end = this == POSTGRESQL ? "SELECT pg_terminate_backend(?)" : "KILL ?";
        return end.replace("?", idOf(connection));
    }

    /** Does the connection with this id wait for a lock? */
    boolean waits(String id) throws SQLException {
        String waiting = this == POSTGRESQL
                ? "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid = "
                : "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                        + " AND trx_mysql_thread_id = ";
        return !look(waiting + id).isEmpty();
    }

    /** Does somebody wait for a lock with a statement that mentions this? */
    boolean isWaiting(String mention) throws SQLException {
        return !look(waiting.replace("?", mention)).equals(List.of("0"));
    }

    /**
     * InnoDB shows a copy of its transactions, and does not renew it as long as somebody reads it within 100 ms of the last
     * read. So tests that look side by side take turns.
     */
    private List<String> look(String query) throws SQLException {
        if (this != MARIADB) {
            return column(query);
        }
        synchronized (TURN) {
            long leftNanos = lookedNanos + RENEWED_AFTER.toNanos() - System.nanoTime();
            while (leftNanos > 0) {
                LockSupport.parkNanos(leftNanos);
                leftNanos = lookedNanos + RENEWED_AFTER.toNanos() - System.nanoTime();
            }
            try {
                return column(query);
            } finally {
                lookedNanos = System.nanoTime();
            }
        }
    }

    List<String> lines(String table) throws SQLException {
        return column("SELECT line FROM " + table + " ORDER BY id");
    }

    List<String> column(String query) throws SQLException {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    private static final class Servers {
        private static Postgres postgres;
        private static MariaDb mariaDb;

        static synchronized Postgres postgres() {
            if (postgres == null) {
                postgres = untilTheEnd(Postgres.running("max_connections=200", "deadlock_timeout=100ms"));
            }
            return postgres;
        }

        static synchronized MariaDb mariaDb() {
            if (mariaDb == null) {
                mariaDb = untilTheEnd(MariaDb.running("--max-connections=200"));
            }
            return mariaDb;
        }

        private static <T extends SqlServer> T untilTheEnd(T server) {
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            return server;
        }
    }

    SqlServer server() {
        source();
        return this == MARIADB ? Servers.mariaDb() : Servers.postgres();
    }
}
