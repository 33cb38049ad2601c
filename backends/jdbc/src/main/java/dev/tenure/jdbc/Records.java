package dev.tenure.jdbc;

import dev.tenure.spi.Versioned;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The table as it is read: one row per record, and each method is one statement with autocommit.
 *
 * <p>Every read brings the database's time with it, even where there is no row, and whether what it shows may be stale.
 */
final class Records {
    private static final Pattern KEY = Pattern.compile("[a-z](/[!-.0-~]{1,698})?");
    private static final String END_OF_ASCII = "\u007f";

    private static final int FEW = 16;

    private final Trouble trouble;
    private final String look;
    private final Optional<String> lookAmong;
    private final String list;
    private volatile long clockMillis;

    Records(Dialect dialect, JdbcOptions options, Trouble trouble) {
        String table = options.table();
        this.trouble = trouble;
        String columns = "SELECT " + dialect.nowMicros() + ", " + dialect.writable()
                + ", r.id, r.version, r.content, r.expires FROM ";
        look = columns + "(SELECT 1 AS one) x LEFT JOIN " + table + " r ON ";
        lookAmong = dialect.among(table).map(columns::concat);
        list = look + "r.id >= ? AND r.id < ?";
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
        try (PreparedStatement statement = connection.prepareStatement(reading(keys.size()))) {
            setKeys(statement, keys);
            Map<String, Versioned> found = new HashMap<>();
            rows(statement).forEach(row -> found.put(row.key(), row));
            keys.forEach(key -> found.computeIfAbsent(key, absent -> Versioned.absent(absent, clockMillis)));
            return found;
        }
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

    /** Sets an array. */
    static void setTexts(PreparedStatement statement, int index, Stream<String> texts) throws SQLException {
        statement.setArray(index, statement.getConnection().createArrayOf("text", texts.toArray()));
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
}
