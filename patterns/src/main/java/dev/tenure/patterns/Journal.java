package dev.tenure.patterns;

import dev.tenure.fence.sql.FencedSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where a pattern writes down what it has done: tables of PostgreSQL, MariaDB, MySQL or H2, behind a fence in the same database, so that
 * a former leader writes nothing. Immutable; keeps no connection.
 */
public final class Journal {
    private static final String NAME = "main";
    private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,29}");
    private static final Set<String> MISSING_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");

    private final DataSource source;
    private final String name;
    private volatile @Nullable Product product;

    private Journal(DataSource source, String name) {
        this.source = source;
        this.name = name;
    }

    /** In the database of this source: best a pool. */
    public static Journal jdbc(DataSource source) {
        return new Journal(Objects.requireNonNull(source, "source is null: pass the database's DataSource"), NAME);
    }

    /**
     * Applications that share a database name their journals differently: the leader of a journal runs the jobs of its own code only.
     * {@code main} unless told.
     */
    public Journal named(String name) {
        if (!NAMES.matcher(name).matches()) {
            throw new IllegalArgumentException("the journal's name '" + name
                    + "' is not letters, digits, dots, dashes and underscores, 30 at most, a letter or digit in front");
        }
        return new Journal(source, name);
    }

    public String name() {
        return name;
    }

    /** How databases differ here. */
    enum Product {
        POSTGRESQL("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", "", ""),
        MARIADB(
                "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)",
                " CHARACTER SET ascii COLLATE ascii_bin",
                " ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4"),
        H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)", "", "");

        /** The database's clock in milliseconds since 1970. */
        final String now;

        private final String exact;
        private final String table;

        Product(String now, String exact, String table) {
            this.now = now;
            this.exact = exact;
            this.table = table;
        }

        /** Can what changes tables be rolled back? */
        boolean hasTransactionalDdl() {
            return this == POSTGRESQL;
        }

        /** {@code EXACT} stands for text whose case counts. */
        String script(String create) {
            return create.replace(" EXACT", exact) + table;
        }

        static Product of(Connection connection) throws SQLException {
            String told = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
            return switch (told) {
                case "postgresql" -> POSTGRESQL;
                case "mariadb", "mysql" -> MARIADB;
                case "h2" -> H2;
                default ->
                    throw new SQLException(
                            "there is no journal for '" + told + "', but for PostgreSQL, MariaDB, MySQL and H2");
            };
        }
    }

    /** Reads one row. */
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    private interface Use<T> {
        T on(Connection connection) throws SQLException;
    }

    FencedSql fence(String resource) {
        return FencedSql.guarding(source, resource);
    }

    DataSource source() {
        return source;
    }

    Product product() throws SQLException {
        Product known = product;
        if (known == null) {
            known = use(Product::of);
            product = known;
        }
        return known;
    }

    /** Unless it is there, or another process makes it in this moment. */
    void create(String table, String script) throws SQLException {
        try {
            execute(product().script(script));
        } catch (SQLException failure) {
            try {
                execute("SELECT 1 FROM " + table + " WHERE 1 = 0");
            } catch (SQLException missing) {
                failure.addSuppressed(missing);
                throw failure;
            }
        }
    }

    void execute(String sql) throws SQLException {
        use(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    /** Nothing if there is no such table yet. */
    <T> List<T> query(String sql, Row<T> row, List<Object> parameters) throws SQLException {
        List<T> all = new ArrayList<>();
        return orIfMissing(all, connection -> {
            try (PreparedStatement query = prepared(connection, sql, parameters);
                    ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    all.add(row.read(rows));
                }
                return all;
            }
        });
    }

    /** Without the fence: what an operator asks for. Returns how many rows were changed. */
    int update(String sql, List<Object> parameters) throws SQLException {
        return orIfMissing(0, connection -> update(connection, sql, parameters));
    }

    static int update(Connection connection, String sql, List<Object> parameters) throws SQLException {
        try (PreparedStatement update = prepared(connection, sql, parameters)) {
            return update.executeUpdate();
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, List<Object> parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.size(); i++) {
            statement.setObject(i + 1, parameters.get(i));
        }
        return statement;
    }

    private <T> T use(Use<T> use) throws SQLException {
        try (Connection connection = source.getConnection()) {
            T result = use.on(connection);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            return result;
        }
    }

    static boolean isDuplicate(SQLException failure) {
        return String.valueOf(failure.getSQLState()).startsWith("23");
    }

    private <T> T orIfMissing(T nothing, Use<T> use) throws SQLException {
        try {
            return use(use);
        } catch (SQLException failure) {
            if (MISSING_TABLE.contains(String.valueOf(failure.getSQLState()))) {
                return nothing;
            }
            throw failure;
        }
    }

    static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    /** For columns of limited length. */
    static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length - 1) + "…";
    }
}
