package dev.tenure.jdbc;

import dev.tenure.spi.Versioned;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * How the table is changed. Each method is one statement with autocommit, and names the version that it expects in its WHERE, so
 * that the database itself compares and sets.
 */
final class Writes {
    private final Dialect dialect;
    private final Records records;
    private final String insert;
    private final String update;
    private final Optional<String> announcedInsert;
    private final Optional<String> announcedUpdate;
    /** By how many others are shown: spelt once, for a handover waits for it. */
    private final Map<Integer, Optional<String>> updateBeside = new ConcurrentHashMap<>();

    private final IntFunction<Optional<String>> spellingBeside;
    private final Optional<String> insertTogether;
    private final Optional<String> updateTogether;
    private final String delete;

    Writes(Dialect dialect, JdbcOptions options, Records records) {
        String table = options.table();
        this.dialect = dialect;
        this.records = records;
        insert = dialect.insert(table);
        update = "UPDATE " + table + " SET version = ?, content = ?, expires = " + dialect.nowMicros()
                + " + ? WHERE id = ? AND version = ?";
        announcedInsert = dialect.announced(insert, table);
        announcedUpdate = dialect.announced(update, table);
        spellingBeside = others -> dialect.updateBeside(table, others);
        insertTogether = dialect.insertTogether(table);
        updateTogether = dialect.updateTogether(table);
        delete = "DELETE FROM " + table + " WHERE id = ? AND version = ?";
    }

    boolean writesTogether() {
        return insertTogether.isPresent() && updateTogether.isPresent();
    }

    /** Was it as expected? */
    boolean write(Connection connection, Change change) throws SQLException {
        return change.expected().isPresent() ? update(connection, change) : insert(connection, change);
    }

    /** How it is written and others are shown in one step, if that can be. */
    Optional<String> besides(Change change) {
        boolean asked = change.expected().isPresent() && !change.others().isEmpty();
        return asked ? updateBeside.computeIfAbsent(change.others().size(), spellingBeside::apply) : Optional.empty();
    }

    /**
     * Empty if it was not as expected; else the others, as they stood at the moment it was written. None of them if one was
     * missing: what is not there cannot be locked, and may have been created since the statement began.
     */
    Optional<List<Versioned>> writeBeside(Connection connection, String sql, Change change) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, change.version());
            statement.setString(2, change.row().value());
            setTtl(statement, 3, change.row().life());
            statement.setString(4, change.key());
            statement.setString(5, change.expected().version().orElseThrow());
            statement.setString(6, change.expected().value());
            int index = 7;
            for (String other : change.others()) {
                statement.setString(index++, other);
            }
            statement.setString(index, change.notice());
            Map<String, Versioned> found = records.byKey(statement);
            Doubts.ensureNone(dialect, statement);
            if (!found.containsKey(change.key())) {
                return Optional.empty();
            }
            boolean whole = found.keySet().containsAll(change.others());
            return Optional.of(
                    whole
                            ? change.others().stream()
                                    .map(key -> records.in(found, key))
                                    .toList()
                            : List.of());
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
            Records.setTexts(statement, 4, changes.stream().map(Change::notice));
            if (!fresh) {
                Records.setTexts(
                        statement,
                        5,
                        changes.stream()
                                .map(change -> change.expected().version().orElseThrow()));
                Records.setTextsOrNulls(
                        statement,
                        6,
                        changes.stream().map(Change::comparedValue).toList());
            }
            Set<String> written = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    written.add(rows.getString(1));
                }
            }
            Doubts.ensureNone(dialect, statement);
            return written;
        }
    }

    private boolean insert(Connection connection, Change change) throws SQLException {
        Optional<String> announced = change.isHeartbeat() ? Optional.empty() : announcedInsert;
        try (PreparedStatement statement = connection.prepareStatement(announced.orElse(insert))) {
            statement.setString(1, change.key());
            statement.setString(2, change.version());
            statement.setString(3, change.row().value());
            setTtl(statement, 4, change.row().life());
            if (announced.isPresent()) {
                statement.setString(5, change.notice());
            }
            return hasChangedOne(statement);
        } catch (SQLException failure) {
            if (dialect.complaint(failure) == Complaint.DUPLICATE) {
                return false;
            }
            throw failure;
        }
    }

    private boolean update(Connection connection, Change change) throws SQLException {
        Optional<String> announced = change.isHeartbeat() ? Optional.empty() : announcedUpdate;
        try (PreparedStatement statement = connection.prepareStatement(announced.orElse(update))) {
            statement.setString(1, change.version());
            statement.setString(2, change.row().value());
            setTtl(statement, 3, change.row().life());
            statement.setString(4, change.key());
            statement.setString(5, change.expected().version().orElseThrow());
            if (announced.isPresent()) {
                statement.setString(6, change.notice());
            }
            return hasChangedOne(statement);
        }
    }

    private boolean hasChangedOne(PreparedStatement write) throws SQLException {
        boolean isQuery = write.execute();
        Doubts.ensureNone(dialect, write);
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

    /** Without one the sum is null, and the record does not expire. */
    private static void setTtl(PreparedStatement statement, int index, Optional<Duration> ttl) throws SQLException {
        if (ttl.isPresent()) {
            statement.setLong(index, ttl.get().plusNanos(999).toNanos() / 1000);
        } else {
            statement.setNull(index, Types.BIGINT);
        }
    }
}
