// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.postgresql.PGConnection;

/** PostgreSQL 9.5 or newer, by its own driver. */
final class PostgresDialect implements Dialect {
    @Override
    public boolean speaks(String product) {
        return product.equals("postgresql");
    }

    /** Not {@code now()}: that is when the transaction began. */
    @Override
    public String nowMicros() {
        return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
    }

    @Override
    public String writable() {
        return "CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN 0 ELSE 1 END";
    }

    @Override
    public String createTable(String table) {
        return "CREATE TABLE IF NOT EXISTS " + table + " (\n"
                + "    id VARCHAR(700) COLLATE \"C\" PRIMARY KEY,\n"
                + "    version VARCHAR(64) NOT NULL,\n"
                + "    content TEXT NOT NULL,\n"
                + "    expires BIGINT\n"
                + ")";
    }

    /** A violated key would be an error in the server's log, each time that two candidates meet. */
    @Override
    public String insert(String table) {
        return Dialect.super.insert(table) + " ON CONFLICT (id) DO NOTHING";
    }

    /** Told when what was written is committed, and in one round trip with it. */
    private static String announcement(String table) {
        return " SELECT id, pg_notify(" + new NotificationListener.Channel(table).expression() + ", id) FROM written";
    }

    /**
     * Each by the primary key. Left to itself, PostgreSQL decides to read the whole table while that is still small, and keeps to
     * that decision when it has grown.
     */
    @Override
    public Optional<String> among(String table) {
        return Optional.of("unnest(?) AS w(wanted) LEFT JOIN LATERAL (SELECT * FROM " + table
                + " t WHERE t.id = w.wanted LIMIT 1) r ON TRUE");
    }

    @Override
    public Optional<String> insertTogether(String table) {
        return Optional.of("WITH wanted AS (SELECT * FROM unnest(?, ?, ?) AS w(id, version, content)),"
                + " written AS (INSERT INTO " + table + " (id, version, content, expires)"
                + " SELECT w.id, w.version, w.content, NULL FROM wanted w ORDER BY w.id"
                + " ON CONFLICT (id) DO NOTHING RETURNING id)" + announcement(table));
    }

    /** Locked in the order of their ids first: two that updated the same rows in different orders would wait for each other. */
    @Override
    public Optional<String> updateTogether(String table) {
        return Optional.of("WITH wanted AS (SELECT * FROM unnest(?, ?, ?, ?) AS w(id, version, content, expected)),"
                + " locked AS (SELECT r.id, w.expected, w.version, w.content FROM wanted w"
                + " JOIN " + table
                + " r ON r.id = w.id AND r.version = w.expected"
                + " ORDER BY r.id FOR UPDATE OF r),"
                + " written AS (UPDATE " + table + " r SET version = l.version, content = l.content, expires = NULL"
                + " FROM locked l WHERE r.id = l.id AND r.version = l.expected RETURNING r.id)"
                + announcement(table));
    }

    /** {@code OFFSET 0} keeps the ranges from being joined, for which the whole table would be read. */
    @Override
    public Optional<String> updateAndRead(String update, String columns, String table) {
        return Optional.of("WITH written AS (" + update + " RETURNING id)"
                + " SELECT " + columns + ", (SELECT count(*) FROM written) FROM (SELECT 1 AS one) x"
                + " LEFT JOIN (unnest(?, ?) AS w(first, behind) CROSS JOIN LATERAL (SELECT * FROM " + table
                + " t WHERE t.id >= w.first AND t.id < w.behind OFFSET 0) r) ON TRUE");
    }

    /**
     * A mark is the oldest transaction that has not ended yet. Whatever is older was visible to the query that told the mark; the
     * rest is told, also what was visible already. Numbers of transactions go round, and {@code age} knows which is older.
     */
    @Override
    public Optional<String> changedSince(String table) {
        return Optional.of("SELECT txid_snapshot_xmin(txid_current_snapshot()), "
                + "(SELECT count(*) FROM " + table + " WHERE expires IS NULL), r.id FROM (SELECT 1 AS one) x"
                + " LEFT JOIN " + table
                + " r ON r.expires IS NULL AND age(r.xmin) <= age(CAST(CAST(CAST(? AS bigint) % 4294967296 AS text) AS xid))"
                + " WHERE " + writable() + " = 1");
    }

    /** In seconds, and rounded up: 0 would mean without end. */
    @Override
    public Map<String, String> limits(Duration timeout) {
        String seconds = Long.toString(timeout.plusMillis(999).toSeconds());
        return Map.of("connectTimeout", seconds, "socketTimeout", seconds, "tcpKeepAlive", "true");
    }

    /**
     * A pooler such as PgBouncer hands connections of the server around, after each transaction if it is told to. The names that
     * drivers give to statements are names within such a connection: S_1 may there be a statement of somebody else, which would
     * be executed without a word.
     */
    @Override
    public void settle(Connection fresh) throws SQLException {
        if (fresh.isWrapperFor(PGConnection.class)) {
            PGConnection driver = fresh.unwrap(PGConnection.class);
            if (driver.getPrepareThreshold() != 0 && isBehindPooler(fresh)) {
                driver.setPrepareThreshold(0);
            }
        }
    }

    /** A pooler has to tell the driver some process id before there is a server behind it. */
    static boolean isBehindPooler(Connection connection) throws SQLException {
        int told = connection.unwrap(PGConnection.class).getBackendPID();
        return !new SqlCall("SELECT pg_backend_pid()")
                .rows(connection, row -> row.getInt(1))
                .contains(told);
    }

    /** A wait for the standby that was cancelled ends in a commit all the same, and in nothing but a warning. */
    @Override
    public boolean isDoubt(SQLWarning warning) {
        return "01000".equals(warning.getSQLState());
    }

    /** The driver has the same state for a server without TLS as others have for a server without connections. */
    @Override
    public SqlErrorKind errorKind(SQLException failure) {
        SqlErrorKind usual = Dialect.super.errorKind(failure);
        String said = String.valueOf(failure.getMessage());
        boolean ofTls = said.contains("SSL") || said.contains("HostnameVerifier");
        if (ofTls && (usual == SqlErrorKind.CROWDED || usual == SqlErrorKind.UNREACHABLE)) {
            return SqlErrorKind.UNTRUSTED;
        }
        return "28000".equals(failure.getSQLState()) ? SqlErrorKind.NOT_ADMITTED : usual;
    }

    @Override
    public Optional<String> asksForSynchronousStandby() {
        return Optional.of("SELECT CASE WHEN current_setting('synchronous_standby_names') <> ''"
                + " AND current_setting('synchronous_commit') IN ('on', 'remote_apply') THEN 1 ELSE 0 END");
    }
}
