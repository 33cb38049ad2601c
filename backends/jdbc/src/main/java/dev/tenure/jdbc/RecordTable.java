// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.jdbc.Dialect.SqlErrorKind;
import dev.tenure.jdbc.JdbcOptions.Tables;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ChangeTracker.Changes;
import dev.tenure.spi.RenewalReader.Wanted;
import dev.tenure.spi.Versioned;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The table: one row per record, and each method is one statement with autocommit. A write names the version that it expects in its
 * WHERE, so that the database itself compares and sets.
 *
 * <p>Every read brings the database's time with it, even where there is no row, and whether what it shows may be stale.
 */
final class RecordTable {
    private static final Pattern KEY = Pattern.compile("[a-z](/[!-.0-~]{1,698})?");
    /** The id of the row that tells the layout, which is no key. */
    private static final String LAYOUT = "layout";

    private static final int LAYOUT_KNOWN = 1;
    private static final String END_OF_ASCII = "\u007f";
    private static final String FIRST_OF_ASCII = "!";

    private final Dialect dialect;
    private final JdbcOptions options;
    private final SqlErrors errors;
    private final String look;
    private final Optional<String> lookAmong;
    /** Reads all from one key to before another. */
    final String list;

    private final String insert;
    private final String update;
    private final String delete;
    private final Optional<String> insertTogether;
    private final Optional<String> updateTogether;
    private final Optional<String> changedSince;
    /** Renews, and reads along. */
    final Optional<String> updateAndRead;

    private volatile boolean checked;
    private volatile long clockMillis;

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

    RecordTable(Dialect dialect, JdbcOptions options, SqlErrors errors) {
        this.dialect = dialect;
        this.options = options;
        this.errors = errors;
        String table = options.table();
        String columns = dialect.nowMicros() + ", " + dialect.writable() + ", r.id, r.version, r.content, r.expires";
        String select = "SELECT " + columns + " FROM ";
        look = select + "(SELECT 1 AS one) x LEFT JOIN " + table + " r ON ";
        lookAmong = dialect.among(table).map(select::concat);
        list = look + "r.id >= ? AND r.id < ?";
        insert = dialect.insert(table);
        update = "UPDATE " + table + " SET version = ?, content = ?, expires = " + dialect.nowMicros()
                + " + ? WHERE id = ? AND version = ?";
        delete = "DELETE FROM " + table + " WHERE id = ? AND version = ?";
        insertTogether = dialect.insertTogether(table);
        updateTogether = dialect.updateTogether(table);
        changedSince = dialect.changedSince(table);
        updateAndRead = dialect.updateAndRead(update, columns, table);
    }

    boolean isChecked() {
        return checked;
    }

    /**
     * Sees to it that the table is there and is one that this version understands. A row of it tells its layout, so that
     * candidates of different versions cannot stand in two tables without noticing.
     */
    void ensure(Connection connection) throws SQLException {
        Optional<String> found;
        try {
            found = layout(connection);
        } catch (SQLException missing) {
            if (errors.kind(missing) != SqlErrorKind.MISSING_TABLE || options.tables() == Tables.EXPECT) {
                throw missing;
            }
            found = createAlone(connection);
        }
        if (found.isEmpty()) {
            writeLayout(connection);
            found = layout(connection);
        }
        String layout = found.orElse("");
        if (!layout.equals(Integer.toString(LAYOUT_KNOWN))) {
            throw errors.foreignLayout(options.table(), layout, LAYOUT_KNOWN);
        }
        checked = true;
    }

    /** Somebody has removed the table: it is looked for, and made, again. */
    void forget() {
        checked = false;
    }

    /**
     * One thread of this JVM at a time, because H2 fails where two connections create one table, and takes the rows of the winner
     * for duplicates.
     */
    private Optional<String> createAlone(Connection connection) throws SQLException {
        synchronized (RecordTable.class) {
            try {
                return layout(connection);
            } catch (SQLException missing) {
                return create(connection);
            }
        }
    }

    /** The schema only if the table cannot be made without it: a user that may make the one may not always make the other. */
    private Optional<String> create(Connection connection) throws SQLException {
        String table = dialect.createTable(options.table());
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute(table);
            } catch (SQLException failure) {
                SqlErrorKind kind = errors.kind(failure);
                boolean schemaMissing = kind == SqlErrorKind.MISSING_TABLE || kind == SqlErrorKind.MISSING_DATABASE;
                if (options.schema().isEmpty() || !schemaMissing) {
                    throw failure;
                }
                statement.execute(
                        "CREATE SCHEMA IF NOT EXISTS " + options.schema().get());
                statement.execute(table);
            }
            return Optional.empty();
        } catch (SQLException failure) {
            // Of many that create it at once, some databases let all but one fail.
            try {
                return layout(connection);
            } catch (SQLException stillMissing) {
                failure.addSuppressed(stillMissing);
                throw failure;
            }
        }
    }

    private Optional<String> layout(Connection connection) throws SQLException {
        String query = "SELECT content FROM " + options.table() + " WHERE id = ?";
        return new SqlCall(query, LAYOUT).first(connection, row -> row.getString(1));
    }

    private void writeLayout(Connection connection) throws SQLException {
        try {
            new SqlCall(insert, LAYOUT, "1", Integer.toString(LAYOUT_KNOWN), null).change(connection, written -> {});
        } catch (SQLException failure) {
            if (errors.kind(failure) != SqlErrorKind.DUPLICATE) {
                throw failure;
            }
        }
    }

    static void checkKey(String key) {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException("'" + key
                    + "' is not a key: a letter, or a letter, a slash and one segment of ASCII, 700 characters in all");
        }
    }

    /** The database's clock as it was told last. */
    long clockMillis() {
        return clockMillis;
    }

    Versioned read(Connection connection, String key) throws SQLException {
        return Objects.requireNonNull(read(connection, List.of(key)).get(key));
    }

    /** One for each key, also where there is no record. */
    Map<String, Versioned> read(Connection connection, List<String> keys) throws SQLException {
        Map<String, Versioned> found = new HashMap<>();
        boolean asArray = keys.size() > 1 && lookAmong.isPresent();
        Object[] parameters = asArray ? new Object[] {keys.toArray(String[]::new)} : keys.toArray();
        records(connection, reading(keys.size()), parameters).forEach(row -> found.put(row.key(), row));
        keys.forEach(key -> found.computeIfAbsent(key, absent -> Versioned.absent(absent, clockMillis)));
        return found;
    }

    /** The statement that reads so many. */
    String reading(int keys) {
        return keys == 1
                ? look + "r.id = ?"
                : lookAmong.orElseGet(() -> look + "r.id IN (?" + ", ?".repeat(keys - 1) + ")");
    }

    List<Versioned> list(Connection connection, String prefix) throws SQLException {
        return records(connection, list, prefix, prefix.isEmpty() ? END_OF_ASCII : behind(prefix));
    }

    /** The first text that is behind all that begin with this prefix. */
    private static String behind(String prefix) {
        int last = prefix.length() - 1;
        return prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
    }

    private List<Versioned> records(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        return new SqlCall(sql, parameters)
                .rows(connection, this::record).stream()
                        .flatMap(Optional::stream)
                        .toList();
    }

    /** Without a record there is still one row, of the clock alone. */
    private Optional<Versioned> record(ResultSet row) throws SQLException {
        long nowMicros = row.getLong(1);
        if (row.getInt(2) == 0) {
            throw errors.readOnly();
        }
        clockMillis = nowMicros / 1000;
        String id = row.getString(3);
        if (id == null || !KEY.matcher(id).matches()) {
            return Optional.empty();
        }
        long leftMicros = Math.max(0, row.getLong(6) - nowMicros);
        Optional<Duration> life = row.wasNull() ? Optional.empty() : Optional.of(Duration.ofNanos(leftMicros * 1000));
        return Optional.of(new Versioned(id, Optional.of(row.getString(4)), row.getString(5), life, nowMicros / 1000));
    }

    /**
     * Records that are fewer than before were deleted by somebody, and a record that is gone cannot be told. Where transactions are
     * numbered lower than before, another server answers.
     */
    Changes changedSince(Connection connection, Optional<String> mark) throws SQLException {
        if (changedSince.isEmpty()) {
            return new Changes("", Optional.empty());
        }
        TableMark before = mark.map(TableMark::of).orElse(new TableMark(0, 0));
        List<String> keys = new ArrayList<>();
        List<TableMark> marks = new SqlCall(changedSince.get(), before.transaction).rows(connection, row -> {
            Optional.ofNullable(row.getString(3)).ifPresent(keys::add);
            return new TableMark(row.getLong(1), row.getLong(2));
        });
        if (marks.isEmpty()) {
            throw errors.readOnly();
        }
        TableMark now = marks.get(0);
        boolean known = now.transaction >= before.transaction && now.records >= before.records;
        return new Changes(now.text(), known ? Optional.of(keys) : Optional.empty());
    }

    /** The oldest transaction that had not ended, and how many records there were that do not expire. */
    private record TableMark(long transaction, long records) {
        static TableMark of(String text) {
            String[] parts = text.split("/", 2);
            return new TableMark(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
        }

        String text() {
            return transaction + "/" + records;
        }
    }

    boolean writesTogether() {
        return insertTogether.isPresent() && updateTogether.isPresent();
    }

    /**
     * Was it as expected? Reads along, in one statement if the database can.
     *
     * @param found gets what was read
     */
    boolean write(Connection connection, Change change, Wanted wanted, List<Versioned> found) throws SQLException {
        if (updateAndRead.isPresent() && change.expected().isPresent() && !wanted.equals(Wanted.NOTHING)) {
            String[] firsts = Stream.concat(wanted.keys().stream(), wanted.prefixes().stream())
                    .toArray(String[]::new);
            String[] behinds = Stream.concat(
                            wanted.keys().stream().map(key -> key + FIRST_OF_ASCII),
                            wanted.prefixes().stream().map(RecordTable::behind))
                    .toArray(String[]::new);
            SqlCall call = new SqlCall(
                    updateAndRead.get(),
                    change.version(),
                    change.row().value(),
                    ttlMicros(change),
                    change.key(),
                    expected(change),
                    firsts,
                    behinds);
            int[] written = {0};
            call.rows(
                            connection,
                            row -> {
                                written[0] = row.getInt(7);
                                return record(row);
                            },
                            dialect::ensureDurable)
                    .forEach(record -> record.ifPresent(found::add));
            addAbsent(wanted.keys(), found);
            return written[0] == 1;
        }
        boolean written = write(connection, change);
        try {
            if (!wanted.keys().isEmpty()) {
                found.addAll(read(connection, List.copyOf(wanted.keys())).values());
            }
            for (String prefix : wanted.prefixes()) {
                found.addAll(list(connection, prefix));
            }
        } catch (SQLException failure) {
            // That the reading had no effect says nothing about the write before it. The next one may read again.
            if (!errors.isWithoutEffect(failure)) {
                throw failure;
            }
            found.clear();
        } catch (BackendException readOnly) {
            found.clear();
        }
        return written;
    }

    private void addAbsent(Set<String> keys, List<Versioned> found) {
        Set<String> absent = new HashSet<>(keys);
        found.forEach(record -> absent.remove(record.key()));
        absent.forEach(key -> found.add(Versioned.absent(key, clockMillis)));
    }

    /** Without a time to live the sum is null, and the record does not expire. */
    private static @Nullable Long ttlMicros(Change change) {
        return change.row()
                .life()
                .map(ttl -> ttl.plusNanos(999).toNanos() / 1000)
                .orElse(null);
    }

    /**
     * Was it as expected? Nobody waits for the heartbeat of another one, so what expires is not announced. Statements for many
     * records announce what they write, also if it is one.
     */
    private boolean write(Connection connection, Change change) throws SQLException {
        if (change.row().life().isEmpty() && writesTogether()) {
            return !write(connection, List.of(change)).isEmpty();
        }
        boolean fresh = !change.expected().isPresent();
        Long ttlMicros = ttlMicros(change);
        String value = change.row().value();
        try {
            return fresh
                    ? hasChangedOne(connection, insert, change.key(), change.version(), value, ttlMicros)
                    : hasChangedOne(
                            connection, update, change.version(), value, ttlMicros, change.key(), expected(change));
        } catch (SQLException failure) {
            if (fresh && errors.kind(failure) == SqlErrorKind.DUPLICATE) {
                return false;
            }
            throw failure;
        }
    }

    private static String expected(Change change) {
        return change.expected().version().orElseThrow();
    }

    /** Which keys were as expected; all are to be new, or none. */
    Set<String> write(Connection connection, List<Change> changes) throws SQLException {
        boolean fresh = !changes.get(0).expected().isPresent();
        String[] keys = texts(changes, Change::key);
        String[] versions = texts(changes, Change::version);
        String[] values = texts(changes, change -> change.row().value());
        Object[] parameters = fresh
                ? new Object[] {keys, versions, values}
                : new Object[] {keys, versions, values, texts(changes, RecordTable::expected)};
        return new HashSet<>(new SqlCall((fresh ? insertTogether : updateTogether).orElseThrow(), parameters)
                .rows(connection, row -> row.getString(1), dialect::ensureDurable));
    }

    private static String[] texts(List<Change> changes, Function<Change, String> text) {
        return changes.stream().map(text).toArray(String[]::new);
    }

    boolean delete(Connection connection, String key, String expected) throws SQLException {
        return hasChangedOne(connection, delete, key, expected);
    }

    private boolean hasChangedOne(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        return new SqlCall(sql, parameters).change(connection, dialect::ensureDurable) == 1;
    }
}
