package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.OptionalDouble;

/**
 * One PostgreSQL that waits for its disk. A candidate that waits leaves no trace in it that could be counted for all
 * contenders alike.
 *
 * <p>Another backend of Tenure on the same server joins as a {@link Kind} that is ours, with its URL in {@link #address}, and
 * a place among {@link #rivals}.
 */
public final class PostgresStore implements Store {
    private static final String SHEDLOCK_TABLE = "CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY,"
            + " lock_until TIMESTAMP NOT NULL, locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL)";
    private static final String SPRING_TABLE = "CREATE TABLE int_lock (lock_key CHAR(36) NOT NULL, region VARCHAR(100)"
            + " NOT NULL, client_id CHAR(36), created_date TIMESTAMP NOT NULL, PRIMARY KEY (lock_key, region))";

    private static final String COUNT =
            "SELECT COALESCE(SUM(calls), 0) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'";

    private final Postgres server = Postgres.running(
            "fsync=on", "max_connections=800", "shared_buffers=128MB", "shared_preload_libraries=pg_stat_statements");

    /** One for all questions: opening one is some statements too. */
    private final Connection asking;

    public PostgresStore() throws SQLException {
        server.execute("CREATE EXTENSION pg_stat_statements", SHEDLOCK_TABLE, SPRING_TABLE);
        asking = server.connect();
    }

    @Override
    public String name() {
        return "PostgreSQL " + server.ask("SHOW server_version").replaceFirst(" .*", "");
    }

    @Override
    public Kind peer() {
        return Kind.SPRING;
    }

    @Override
    public List<Kind> rivals() {
        return List.of(Kind.SPRING, Kind.SHEDLOCK, Kind.ADVISORY_POLLED);
    }

    @Override
    public Kind floor() {
        return Kind.POSTGRES_FLOOR;
    }

    @Override
    public String address(Kind kind) {
        return kind == Kind.TENURE
                ? "postgresql://" + SqlServer.USER + ":" + SqlServer.PASSWORD + "@127.0.0.1:" + server.port()
                        + "/postgres"
                : server.url();
    }

    @Override
    public String address(Kind kind, int single) {
        return address(kind);
    }

    @Override
    public OptionalDouble winWithinSeconds() {
        return OptionalDouble.of(3);
    }

    @Override
    public int requestsPerHeartbeatMax() {
        return 2;
    }

    @Override
    public boolean countsCandidates() {
        return false;
    }

    @Override
    public long candidates() {
        return 0;
    }

    /** Statements, without our own that asks for them. */
    @Override
    public long requests() {
        try (Statement statement = asking.createStatement();
                ResultSet rows = statement.executeQuery(COUNT)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
