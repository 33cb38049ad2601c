package dev.tenure.jdbc;

import dev.tenure.spi.Versioned;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The table: one row per record. Each method is one statement with autocommit, and a write names the version that it expects
 * in its WHERE, so that the database itself compares and sets.
 *
 * <p>Every read brings the database's time with it, even where there is no row, and whether what it shows may be stale.
 */
final class Records {
    private static final Pattern KEY = Pattern.compile("e|[sco]/[!-.0-~]{1,698}");
    private static final String END_OF_ASCII = "\u007f";

    private static final int FEW = 16;

    private final Dialect dialect;
    private final Trouble trouble;
    private final String look;
    private final Optional<String> lookAmong;
    private final String list;
    private final String insert;
    private final String update;
    private final String announcedInsert;
    private final String announcedUpdate;
    private final Optional<String> updateBeside;
    private final Optional<String> insertTogether;
    private final Optional<String> updateTogether;
    private final String delete;
    private volatile long clockMillis;

    /**
     * A row as it is to be.
     *
     * @param expected the version that it must have now; empty if there must be none
     */
    record Change(Versioned row, Optional<String> expected) {}

    Records(Dialect dialect, JdbcOptions options, Trouble trouble) {
        String table = options.table();
        this.dialect = dialect;
        this.trouble = trouble;
        String columns = "SELECT " + dialect.nowMicros() + ", " + dialect.writable()
                + ", r.id, r.version, r.content, r.expires FROM ";
        look = columns + "(SELECT 1 AS one) x LEFT JOIN " + table + " r ON ";
        lookAmong = dialect.among(table).map(columns::concat);
        list = look + "r.id >= ? AND r.id < ?";
        insert = dialect.insert(table);
        update = "UPDATE " + table + " SET version = ?, content = ?, expires = " + dialect.nowMicros()
                + " + ? WHERE id = ? AND version = ?";
        announcedInsert = dialect.announced(insert, options.channel());
        announcedUpdate = dialect.announced(update, options.channel());
        updateBeside = dialect.updateBeside(table, options.channel());
        insertTogether = dialect.insertTogether(table, options.channel());
        updateTogether = dialect.updateTogether(table, options.channel());
        delete = "DELETE FROM " + table + " WHERE id = ? AND version = ?";
    }

    static void checkKey(String key) {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException(
                    "'" + key + "' is not a key: e, or s/, c/ or o/ and one segment of ASCII, 700 characters in all");
        }
    }

    /** The database's clock as it was told last. */
    long clockMillis() {
        return clockMillis;
    }

    boolean writesTogether() {
        return insertTogether.isPresent() && updateTogether.isPresent();
    }

    Versioned read(Connection connection, String key) throws SQLException {
        return Objects.requireNonNull(read(connection, List.of(key)).get(key));
    }

    /** One for each key, also where there is no record. */
    Map<String, Versioned> read(Connection connection, List<String> keys) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(reading(keys.size()))) {
            setKeys(statement, keys);
            Map<String, Versioned> found = byKey(statement);
            keys.forEach(key -> found.put(key, in(found, key)));
            return found;
        }
    }

    private Map<String, Versioned> byKey(PreparedStatement statement) throws SQLException {
        Map<String, Versioned> found = new HashMap<>();
        rows(statement).forEach(row -> found.put(row.key(), row));
        return found;
    }

    private Versioned in(Map<String, Versioned> found, String key) {
        return found.getOrDefault(key, Versioned.absent(key, clockMillis));
    }

    /** The statement that reads so many. */
    String reading(int keys) {
        return keys == 1
                ? look + "r.id = ?"
                : lookAmong.orElseGet(() -> look + "r.id IN (?" + ", ?".repeat(places(keys) - 1) + ")");
    }

    /** A statement for each number of keys would be too many to keep prepared. */
    private static int places(int keys) {
        return keys <= FEW ? FEW : Math.max(CallQueue.TOGETHER_MAX, keys);
    }

    private void setKeys(PreparedStatement statement, List<String> keys) throws SQLException {
        if (keys.size() == 1) {
            statement.setString(1, keys.get(0));
        } else if (lookAmong.isPresent()) {
            setTexts(statement, 1, keys.stream());
        } else {
            for (int i = 0; i < places(keys.size()); i++) {
                statement.setString(i + 1, keys.get(Math.min(i, keys.size() - 1)));
            }
        }
    }

    /** The statement that reads all from one key to before another. */
    String listing() {
        return list;
    }

    List<Versioned> list(Connection connection, String prefix) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(list)) {
            statement.setString(1, prefix);
            statement.setString(2, prefix.isEmpty() ? END_OF_ASCII : behind(prefix));
            return rows(statement);
        }
    }

    /** The first text that is behind all that begin with this prefix. */
    private static String behind(String prefix) {
        int last = prefix.length() - 1;
        return prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
    }

    /** Without a record there is still one row, of the clock alone. */
    private List<Versioned> rows(PreparedStatement statement) throws SQLException {
        List<Versioned> found = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                long nowMicros = rows.getLong(1);
                if (rows.getInt(2) == 0) {
                    throw trouble.readOnly();
                }
                clockMillis = nowMicros / 1000;
                String id = rows.getString(3);
                if (id != null && KEY.matcher(id).matches()) {
                    long expiresMicros = rows.getLong(6);
                    Optional<Duration> life = rows.wasNull() ? Optional.empty() : left(expiresMicros - nowMicros);
                    found.add(new Versioned(
                            id, Optional.of(rows.getString(4)), rows.getString(5), life, nowMicros / 1000));
                }
            }
        }
        return found;
    }

    private static Optional<Duration> left(long micros) {
        return Optional.of(Duration.ofNanos(Math.max(0, micros) * 1000));
    }

    /** Was it as expected? */
    boolean write(Connection connection, Change change) throws SQLException {
        return change.expected.isPresent()
                ? update(connection, change.row, change.expected.get())
                : insert(connection, change.row);
    }

    /** Can it be written and others be shown in one step? */
    boolean writesBeside(Change change) {
        return change.expected.isPresent() && updateBeside.isPresent();
    }

    /** Empty if it was not as expected; else the others, as they stood at the moment it was written. */
    Optional<List<Versioned>> writeBeside(Connection connection, Change change, List<String> others)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(updateBeside.orElseThrow())) {
            statement.setString(1, change.row.version().orElseThrow());
            statement.setString(2, change.row.value());
            statement.setString(3, change.row.key());
            statement.setString(4, change.expected.orElseThrow());
            setTexts(statement, 5, others.stream());
            Map<String, Versioned> found = byKey(statement);
            Doubts.ensureNone(dialect, statement);
            return found.containsKey(change.row.key())
                    ? Optional.of(others.stream().map(key -> in(found, key)).toList())
                    : Optional.empty();
        }
    }

    /** Which keys were as expected; all are to be new, or none. */
    Set<String> write(Connection connection, List<Change> changes) throws SQLException {
        boolean fresh = changes.get(0).expected.isEmpty();
        String sql = (fresh ? insertTogether : updateTogether).orElseThrow();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setTexts(statement, 1, changes.stream().map(change -> change.row.key()));
            setTexts(
                    statement,
                    2,
                    changes.stream().map(change -> change.row.version().orElseThrow()));
            setTexts(statement, 3, changes.stream().map(change -> change.row.value()));
            if (!fresh) {
                setTexts(statement, 4, changes.stream().map(change -> change.expected.orElseThrow()));
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

    private static void setTexts(PreparedStatement statement, int index, Stream<String> texts) throws SQLException {
        statement.setArray(index, statement.getConnection().createArrayOf("text", texts.toArray()));
    }

    private boolean insert(Connection connection, Versioned row) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(isHeartbeat(row) ? insert : announcedInsert)) {
            statement.setString(1, row.key());
            statement.setString(2, row.version().orElseThrow());
            statement.setString(3, row.value());
            setTtl(statement, 4, row.life());
            return hasChangedOne(statement);
        } catch (SQLException failure) {
            if (dialect.complaint(failure) == Complaint.DUPLICATE) {
                return false;
            }
            throw failure;
        }
    }

    private boolean update(Connection connection, Versioned row, String expected) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(isHeartbeat(row) ? update : announcedUpdate)) {
            statement.setString(1, row.version().orElseThrow());
            statement.setString(2, row.value());
            setTtl(statement, 3, row.life());
            statement.setString(4, row.key());
            statement.setString(5, expected);
            return hasChangedOne(statement);
        }
    }

    /** Nobody waits for the heartbeat of another one. */
    private static boolean isHeartbeat(Versioned row) {
        return row.key().startsWith("s/");
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
