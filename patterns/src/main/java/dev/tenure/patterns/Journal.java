// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import dev.tenure.fence.sql.FencedSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where a pattern writes down what it has done: tables of PostgreSQL, MariaDB, MySQL or H2, behind a fence in the same database, so that
 * a former leader writes nothing. Immutable; keeps no connection.
 */
public final class Journal {
    private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]*");
    private static final Set<String> MISSING_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");
    private static final int TEXT_MAX = 400;

    private final DataSource source;
    private final String name;
    private volatile @Nullable Product product;

    /** An attempt: the node that made it, in which term, and when. */
    public record Attempt(String node, String token, String nonce, Instant began, Optional<Instant> ended) {
        static Attempt read(ResultSet row) throws SQLException {
            long ended = row.getLong("ended");
            return new Attempt(
                    row.getString("node"),
                    Long.toString(row.getLong("token")),
                    row.getString("nonce"),
                    Instant.ofEpochMilli(row.getLong("began")),
                    ended == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(ended)));
        }
    }

    private Journal(DataSource source, String name) {
        this.source = source;
        this.name = name;
    }

    /** In the database of this source: best a pool. */
    public static Journal jdbc(DataSource source) {
        return new Journal(Objects.requireNonNull(source, "source is null: pass the database's DataSource"), "main");
    }

    /**
     * Applications that share a database name their journals differently: the leader of a journal runs the jobs of its own code only.
     * {@code main} unless told.
     */
    public Journal named(String name) {
        return new Journal(source, checked("journal", name, 30));
    }

    /** As long as its column is, at most. */
    static String checked(String what, String name, int max) {
        if (!NAMES.matcher(name).matches() || name.length() > max) {
            throw new IllegalArgumentException("the name '" + name + "' of a " + what
                    + " is not letters, digits, dots, slashes, dashes and underscores, " + max
                    + " at most, a letter or digit in front");
        }
        return name;
    }

    public String name() {
        return name;
    }

    /** How databases differ here. */
    enum Product {
        POSTGRESQL("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"),
        MARIADB("TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"),
        H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)");

        /** The database's clock in milliseconds since 1970. */
        final String now;

        Product(String now) {
            this.now = now;
        }
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
            try (Connection connection = source.getConnection()) {
                String told = connection.getMetaData().getDatabaseProductName();
                product = known = switch (told.toLowerCase(Locale.ROOT)) {
                    case "postgresql" -> Product.POSTGRESQL;
                    case "mariadb", "mysql" -> Product.MARIADB;
                    case "h2" -> Product.H2;
                    default ->
                        throw new SQLException(
                                "there is no journal for '" + told + "', but for PostgreSQL, MariaDB, MySQL and H2");
                };
            }
        }
        return known;
    }

    /** Unless it is there. The case of names counts on MariaDB, too, as it does elsewhere. */
    void create(String table, String columns) throws SQLException {
        if (query("SELECT COUNT(*) FROM " + table + " WHERE 1 = 0", row -> table)
                .isEmpty()) {
            boolean plain = product() != Product.MARIADB;
            String options = plain ? "" : " ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
            update("CREATE TABLE IF NOT EXISTS " + table + " (" + columns + ")" + options);
        }
    }

    /** Reads a row, or what a statement has done. */
    interface Reader<F, T> {
        T read(F from) throws SQLException;
    }

    /** Nothing if there is no such table yet. */
    <T> List<T> query(String sql, Reader<ResultSet, T> reader, Object... parameters) throws SQLException {
        return use(List.of(), sql, parameters, statement -> {
            try (ResultSet rows = statement.executeQuery()) {
                List<T> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(reader.read(rows));
                }
                return all;
            }
        });
    }

    /** Without the fence: what an operator asks for. Returns how many rows were changed. */
    int update(String sql, Object... parameters) throws SQLException {
        return use(0, sql, parameters, PreparedStatement::executeUpdate);
    }

    static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** Updates a row, or inserts it if there is none. */
    static void put(Connection connection, String update, String insert, Object... parameters) throws SQLException {
        if (update(connection, update, parameters) == 0) {
            update(connection, insert, parameters);
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    private <T> T use(T ifMissing, String sql, Object[] parameters, Reader<PreparedStatement, T> reader)
            throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = prepared(connection, sql, parameters)) {
            T result = reader.read(statement);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            return result;
        } catch (SQLException failure) {
            if (MISSING_TABLE.contains(String.valueOf(failure.getSQLState()))) {
                return ifMissing;
            }
            throw failure;
        }
    }

    /** As long as columns for text are, and without what PostgreSQL refuses. */
    static String cut(String text) {
        String clean = text.replace('\0', ' ');
        return clean.length() <= TEXT_MAX ? clean : clean.substring(0, TEXT_MAX - 1) + "…";
    }
}
