package dev.tenure.jdbc;

import dev.tenure.spi.Versioned;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How the table is changed. Each method is one statement with autocommit, and names the version that it expects in its WHERE, so
 * that the database itself compares and sets.
 */
final class Writes {
    private final Dialect dialect;
    private final String insert;
    private final String update;
    private final Optional<String> announcedInsert;
    private final Optional<String> announcedUpdate;
    private final Optional<String> insertTogether;
    private final Optional<String> updateTogether;
    private final String delete;

    Writes(Dialect dialect, JdbcOptions options) {
        String table = options.table();
        this.dialect = dialect;
        insert = dialect.insert(table);
        update = "UPDATE " + table + " SET version = ?, content = ?, expires = " + dialect.nowMicros()
                + " + ? WHERE id = ? AND version = ?";
        announcedInsert = dialect.announced(insert, table);
        announcedUpdate = dialect.announced(update, table);
        insertTogether = dialect.insertTogether(table);
        updateTogether = dialect.updateTogether(table);
        delete = "DELETE FROM " + table + " WHERE id = ? AND version = ?";
    }

    boolean writesTogether() {
        return insertTogether.isPresent() && updateTogether.isPresent();
    }

    /**
     * A row as it is to be.
     *
     * @param expected as it must be now
     */
    record Change(Versioned expected, Versioned row) {
        String key() {
            return row.key();
        }

        String version() {
            return row.version().orElseThrow();
        }
    }

    /** Was it as expected? Nobody waits for the heartbeat of another one, so what expires is not announced. */
    boolean write(Connection connection, Change change) throws SQLException {
        boolean fresh = !change.expected().isPresent();
        String silent = fresh ? insert : update;
        Optional<String> announced = fresh ? announcedInsert : announcedUpdate;
        Optional<Duration> life = change.row().life();
        try (PreparedStatement statement =
                connection.prepareStatement(life.isPresent() ? silent : announced.orElse(silent))) {
            int index = 1;
            if (fresh) {
                statement.setString(index++, change.key());
            }
            statement.setString(index++, change.version());
            statement.setString(index++, change.row().value());
            setTtl(statement, index++, life);
            if (!fresh) {
                statement.setString(index++, change.key());
                statement.setString(index, change.expected().version().orElseThrow());
            }
            return hasChangedOne(statement);
        } catch (SQLException failure) {
            if (fresh && dialect.complaint(failure) == Complaint.DUPLICATE) {
                return false;
            }
            throw failure;
        }
    }

    /** Which keys were as expected; all are to be new, or none. */
    Set<String> write(Connection connection, List<Change> changes) throws SQLException {
        boolean fresh = !changes.get(0).expected().isPresent();
        String sql = (fresh ? insertTogether : updateTogether).orElseThrow();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Records.setTexts(statement, 1, changes.stream().map(Change::key));
            Records.setTexts(statement, 2, changes.stream().map(Change::version));
            Records.setTexts(
                    statement, 3, changes.stream().map(change -> change.row().value()));
            if (!fresh) {
                Records.setTexts(
                        statement,
                        4,
                        changes.stream()
                                .map(change -> change.expected().version().orElseThrow()));
            }
            Set<String> written = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    written.add(rows.getString(1));
                }
            }
            ensureNoDoubt(dialect, statement);
            return written;
        }
    }

    private boolean hasChangedOne(PreparedStatement write) throws SQLException {
        boolean isQuery = write.execute();
        ensureNoDoubt(dialect, write);
        if (!isQuery) {
            return write.getUpdateCount() == 1;
        }
        try (ResultSet rows = write.getResultSet()) {
            return rows.next();
        }
    }

    boolean delete(Connection connection, String key, String expected) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(delete)) {
            statement.setString(1, key);
            statement.setString(2, expected);
            return hasChangedOne(statement);
        }
    }

    /**
     * Some databases acknowledge a write that they may lose, and say so by a warning.
     *
     * @throws SQLException the warning itself: whoever judges it must not know of any effect that is certain
     */
    static void ensureNoDoubt(Dialect dialect, Statement written) throws SQLException {
        for (SQLWarning warning = written.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            if (dialect.isDoubt(warning)) {
                throw warning;
            }
        }
    }

    /** Without one the sum is null, and the record does not expire. */
    private static void setTtl(PreparedStatement statement, int index, Optional<Duration> ttl) throws SQLException {
        if (ttl.isPresent()) {
            statement.setLong(index, ttl.get().plusNanos(999).toNanos() / 1000);
        } else {
            statement.setNull(index, Types.BIGINT);
        }
    }
}
