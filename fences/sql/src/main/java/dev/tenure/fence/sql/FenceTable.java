// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.fence.sql.Sql.SqlState;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The statements on the rows of fences. */
record FenceTable(FenceDialect dialect, String table) {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final String COLUMNS = "election, store, token, nonce";

    /**
     * What a fence has seen.
     *
     * @param election encoded; the fence belongs to it
     * @param store the random id of the store that elects, or nothing if nobody named it
     * @param token zero where a fence was installed and never raised
     * @param nonce of the term that raised it, as 32 hex digits
     */
    record Row(String resource, String election, String store, long token, String nonce) {
        /**
         * The one comparison that everything rests on: the very same term, or a newer one. An older one is refused.
         *
         * @param storeId of the store that elected the term, or nothing
         * @return false if the term is newer
         */
        boolean isAt(Term term, String storeId) throws StaleTokenException {
            if (!election.equals(term.election().encoded())) {
                throw new IllegalArgumentException(resource + " is fenced for election " + shown(election)
                        + "; tokens of election " + term.election() + " do not compare with its own");
            }
            if (!store.isEmpty() && !storeId.isEmpty() && !store.equals(storeId)) {
                throw new IllegalArgumentException(resource + " is fenced for election " + shown(election)
                        + " in store " + store + "; tokens of store " + storeId + " do not compare with its own");
            }
            boolean same =
                    term.token().value() == token && term.nonce().toString().equals(nonce);
            if (!same && term.token().value() <= token) {
                throw new StaleTokenException(resource, term, new FencingToken(token));
            }
            return same;
        }
    }

    static String shown(String encoded) {
        try {
            return ElectionName.decode(encoded).value();
        } catch (IllegalArgumentException foreign) {
            return encoded;
        }
    }

    /** Makes it, unless it is there. Two who miss it at once both succeed. */
    void create(Connection connection) throws SQLException {
        try {
            Sql.execute(connection, script());
        } catch (SQLException failure) {
            if (!SqlState.isDuplicate(failure)) {
                throw failure;
            }
        }
    }

    String script() {
        return dialect.createTable(table);
    }

    /** Without a lock: good enough to see that a fence is at or above a term, for it never goes back. */
    Optional<Row> look(Connection connection, String resource) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT " + COLUMNS + " FROM " + table + " WHERE resource = ?")) {
            query.setString(1, resource);
            return row(query, resource);
        }
    }

    /**
     * Takes the row for a writer, until the transaction ends: others of the same term may take it too, but nobody can raise
     * it.
     *
     * @param idle how long the transaction may do nothing before the database ends it, where it can
     * @param triggers whether the term is shown to triggers
     */
    Optional<Row> take(Connection connection, String resource, Term term, Duration idle, boolean triggers)
            throws SQLException {
        String sql = "SELECT " + COLUMNS + (triggers ? dialect.presented(resource) : "") + " FROM "
                + dialect.sharedQueue(table, resource) + table + " WHERE resource = ? " + dialect.sharedLock();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(triggers ? dialect.present(query, resource, term, idle) : 1, resource);
            return row(query, resource);
        }
    }

    private static Optional<Row> row(PreparedStatement query, String resource) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            return rows.next()
                    ? Optional.of(
                            new Row(resource, rows.getString(1), rows.getString(2), rows.getLong(3), rows.getString(4)))
                    : Optional.empty();
        }
    }

    /** Raises the row, if it is still of this election and below this token. */
    boolean lift(Connection connection, String resource, Term term, String storeId, int waitSeconds)
            throws SQLException {
        String sql = "UPDATE " + table + " SET token = ?, nonce = ?, holder = ?, raised = " + dialect.now()
                + ", store = CASE WHEN store = '' THEN ? ELSE store END" + dialect.exclusiveQueue(table, resource)
                + " WHERE resource = ? AND election = ? AND token < ?";
        return change(
                connection,
                waitSeconds,
                sql,
                term.token().value(),
                term.nonce().toString(),
                holder(term),
                storeId,
                resource,
                term.election().encoded(),
                term.token().value());
    }

    /** Binds a resource to its election and store, if it has no row yet. */
    boolean bind(Connection connection, Row row, String holder, int waitSeconds) throws SQLException {
        String sql = "INSERT INTO " + table + " (resource, " + COLUMNS + ", holder, raised) VALUES (?, ?, ?, ?, ?, ?, "
                + dialect.now() + ")" + dialect.insertIgnoring();
        try {
            return change(
                    connection,
                    waitSeconds,
                    sql,
                    row.resource(),
                    row.election(),
                    row.store(),
                    row.token(),
                    row.nonce(),
                    holder);
        } catch (SQLException failure) {
            if (SqlState.isDuplicate(failure)) {
                return false;
            }
            throw failure;
        }
    }

    /** Returns whether a row was changed. */
    static boolean change(Connection connection, int waitSeconds, String sql, Object... parameters)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setQueryTimeout(waitSeconds);
            Sql.bind(update, 1, parameters);
            return update.executeUpdate() == 1;
        }
    }

    static String holder(Term term) {
        return term.holder().length() <= 400 ? term.holder() : term.holder().substring(0, 400);
    }

    /** @param connection with autocommit */
    Blockers blockers(Connection connection, String resource) throws SQLException {
        if (dialect != FenceDialect.POSTGRESQL) {
            return new Blockers(connection, resource, List.of());
        }
        String key = Integer.toUnsignedString(FenceDialect.key(resource));
        List<List<String>> rows = Sql.rows(
                connection,
                "SELECT l.pid, a.usename, a.application_name, a.state,"
                        + " floor(extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint"
                        + " FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid"
                        + " WHERE l.locktype = 'advisory' AND l.granted AND l.mode = 'ShareLock'"
                        + " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                        + " AND l.classid = CAST('" + table + "' AS regclass) AND l.objid = CAST('" + key + "' AS oid)"
                        + " AND l.objsubid = 2 ORDER BY 1");
        return new Blockers(
                connection,
                resource,
                rows.stream()
                        .map(row -> new Blockers.Blocker(row.get(0), row.get(1), row.get(2), row.get(3), row.get(4)))
                        .toList());
    }

    /**
     * The transactions on PostgreSQL that have taken a fence and keep a raise waiting. A process that was stopped in the middle of a
     * message, or a statement that runs for an hour, is not idle, so that no time limit ends it.
     */
    record Blockers(Connection connection, String resource, List<Blocker> found) {
        /**
         * @param pid of the server's process; empty for a prepared transaction, which has none
         * @param millis how long its transaction has been open; empty if this user may not see that
         */
        record Blocker(String pid, String user, String application, String state, String millis) {
            @Override
            public String toString() {
                return pid.isEmpty()
                        ? "a prepared transaction (pg_prepared_xacts shows it)"
                        : "pid " + pid + " (user " + user + ", application '" + application + "'"
                                + (millis.isEmpty()
                                        ? ""
                                        : ", " + state + ", its transaction is open for " + millis + " ms")
                                + ")";
            }
        }

        /**
         * Ends those that have been open for so long. A newer term cannot be hit: it was not there when the raise looked last, just
         * before, and its transactions would be younger.
         *
         * @return whether all of them were ended, and there were any
         */
        boolean end(long openMillis) {
            boolean all = !found.isEmpty();
            for (Blocker each : found) {
                all &= !each.millis.isEmpty() && Long.parseLong(each.millis) >= openMillis && end(each);
            }
            return all;
        }

        private boolean end(Blocker blocker) {
            try {
                Sql.rows(connection, "SELECT pg_terminate_backend(CAST(? AS integer))", blocker.pid);
                LOG.log(
                        Level.WARNING,
                        "ended {0}: it held the fence of {1} and kept a newer term waiting",
                        blocker,
                        resource);
                return true;
            } catch (SQLException notAllowed) {
                LOG.log(Level.DEBUG, "a transaction of an older term could not be ended", notAllowed);
                return false;
            }
        }

        /** For messages; empty if nothing is known. */
        @Override
        public String toString() {
            return String.join(", ", found.stream().map(Blocker::toString).toList());
        }
    }
}
