package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;

/** The statements on the rows of fences. */
record FenceTable(Dialect dialect, String table) {
    private static final String COLUMNS = "election, store, token, nonce";

    /** Makes it, unless it is there. Two who miss it at once both succeed. */
    void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(dialect.createTable(table));
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
    Optional<FenceRow> look(Connection connection, String resource) throws SQLException {
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
    Optional<FenceRow> take(Connection connection, String resource, Term term, Duration idle, boolean triggers)
            throws SQLException {
        String sql = "SELECT " + COLUMNS + (triggers ? dialect.presented(resource) : "") + " FROM "
                + dialect.sharedQueue(table, resource) + table + " WHERE resource = ? " + dialect.sharedLock();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(triggers ? dialect.present(query, resource, term, idle) : 1, resource);
            return row(query, resource);
        }
    }

    private static Optional<FenceRow> row(PreparedStatement query, String resource) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            if (!rows.next()) {
                return Optional.empty();
            }
            return Optional.of(
                    new FenceRow(resource, rows.getString(1), rows.getString(2), rows.getLong(3), rows.getString(4)));
        }
    }

    /** Raises the row, if it is still of this election and below this token. */
    boolean lift(Connection connection, String resource, Term term, String storeId, int waitSeconds)
            throws SQLException {
        String sql = "UPDATE " + table + " SET token = ?, nonce = ?, holder = ?, raised = " + dialect.now()
                + ", store = CASE WHEN store = '' THEN ? ELSE store END" + dialect.exclusiveQueue(table, resource)
                + " WHERE resource = ? AND election = ? AND token < ?";
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setQueryTimeout(waitSeconds);
            update.setLong(1, term.token().value());
            update.setString(2, term.nonce().toString());
            update.setString(3, holder(term));
            update.setString(4, storeId);
            update.setString(5, resource);
            update.setString(6, term.election().encoded());
            update.setLong(7, term.token().value());
            return update.executeUpdate() == 1;
        }
    }

    /** Binds a resource to its election and store, if it has no row yet. */
    boolean bind(Connection connection, FenceRow row, String holder, int waitSeconds) throws SQLException {
        String sql = "INSERT INTO " + table + " (resource, " + COLUMNS + ", holder, raised) VALUES (?, ?, ?, ?, ?, ?, "
                + dialect.now() + ")" + dialect.insertIgnoring();
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setQueryTimeout(waitSeconds);
            insert.setString(1, row.resource());
            insert.setString(2, row.election());
            insert.setString(3, row.store());
            insert.setLong(4, row.token());
            insert.setString(5, row.nonce());
            insert.setString(6, holder);
            return insert.executeUpdate() == 1;
        } catch (SQLException failure) {
            if (SqlState.isDuplicate(failure)) {
                return false;
            }
            throw failure;
        }
    }

    static String holder(Term term) {
        return term.holder().length() <= 400 ? term.holder() : term.holder().substring(0, 400);
    }
}
