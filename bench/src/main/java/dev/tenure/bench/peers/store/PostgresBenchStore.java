// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One PostgreSQL that waits for its disk. A candidate that waits leaves no trace in it that could be counted for all
 * contenders alike. Tenure uses rows of it, or its advisory locks.
 */
public final class PostgresBenchStore implements BenchStore {
    private static final String SHEDLOCK_TABLE = "CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY,"
            + " lock_until TIMESTAMP NOT NULL, locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL)";
    private static final String SPRING_TABLE = "CREATE TABLE int_lock (lock_key CHAR(36) NOT NULL, region VARCHAR(100)"
            + " NOT NULL, client_id CHAR(36), created_date TIMESTAMP NOT NULL, expired_after TIMESTAMP NOT NULL,"
            + " PRIMARY KEY (lock_key, region))";

    private static final String COUNT = "SELECT COALESCE(SUM(calls), 0), COALESCE(SUM(rows), 0),"
            + " (SELECT tup_inserted + tup_updated + tup_deleted FROM pg_stat_database WHERE datname = current_database())"
            + " FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'";

    private final Postgres server = Postgres.running(
            "fsync=on",
            "max_connections=800",
            "max_locks_per_transaction=512",
            "shared_buffers=128MB",
            "shared_preload_libraries=pg_stat_statements");

    private final boolean advisory;
    /** One for all questions: opening one is some statements too. */
    private final Connection asking;

    private PostgresBenchStore(boolean advisory) throws SQLException {
        this.advisory = advisory;
        server.execute("CREATE EXTENSION pg_stat_statements", SHEDLOCK_TABLE, SPRING_TABLE);
        asking = server.connect();
    }

    public static PostgresBenchStore rows() throws SQLException {
        return new PostgresBenchStore(false);
    }

    public static PostgresBenchStore advisory() throws SQLException {
        return new PostgresBenchStore(true);
    }

    @Override
    public String name() {
        String version = server.ask("SHOW server_version").replaceFirst(" .*", "");
        return "PostgreSQL " + version + (advisory ? ", advisory" : ", rows");
    }

    @Override
    public List<Kind> peers() {
        return List.of(Kind.SPRING, Kind.SHEDLOCK);
    }

    @Override
    public List<Kind> byHand() {
        return List.of(Kind.ADVISORY_POLLED);
    }

    @Override
    public Optional<Kind> floor() {
        return Optional.of(advisory ? Kind.ADVISORY_FLOOR : Kind.POSTGRES_FLOOR);
    }

    @Override
    public String address(Kind kind) {
        return kind == Kind.TENURE
                ? (advisory ? "postgresql+advisory://" : "postgresql://") + SqlServer.USER + ":" + SqlServer.PASSWORD
                        + "@127.0.0.1:" + server.port() + "/postgres"
                : server.url();
    }

    @Override
    public String address(Kind kind, int single) {
        return address(kind);
    }

    @Override
    public OptionalDouble handoverInFloors() {
        return OptionalDouble.of(advisory ? 3.5 : 2);
    }

    @Override
    public int crowdRequestsMax() {
        return 8;
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
    public Counts counts() {
        try (Statement statement = asking.createStatement();
                ResultSet rows = statement.executeQuery(COUNT)) {
            rows.next();
            return new Counts(rows.getLong(1), rows.getLong(2), rows.getLong(3));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
