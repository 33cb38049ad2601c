package dev.tenure.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One statement with its parameters. These are strings, numbers and booleans; arrays of them, where the database has arrays; and
 * null for a BIGINT.
 */
public final class Sql {
    private Sql() {}

    /** Reads one row. */
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Looks at a statement that was answered, before its answer is believed. */
    public interface Check {
        void answered(Statement statement) throws SQLException;
    }

    public static <T> List<T> rows(Connection connection, String sql, Row<T> row, @Nullable Object... parameters)
            throws SQLException {
        return rows(connection, sql, answered -> {}, row, parameters);
    }

    public static <T> List<T> rows(
            Connection connection, String sql, Check check, Row<T> row, @Nullable Object... parameters)
            throws SQLException {
        List<T> found = new ArrayList<>();
        try (PreparedStatement statement = prepared(connection, sql, parameters)) {
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(row.read(rows));
                }
            }
            check.answered(statement);
        }
        return found;
    }

    public static <T> Optional<T> first(Connection connection, String sql, Row<T> row, @Nullable Object... parameters)
            throws SQLException {
        return rows(connection, sql, row, parameters).stream().findFirst();
    }

    /** How many rows a write has changed; one that is a query has a row for each. */
    public static int change(Connection connection, String sql, Check check, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, parameters)) {
            boolean isQuery = statement.execute();
            check.answered(statement);
            if (!isQuery) {
                return statement.getUpdateCount();
            }
            int rows = 0;
            try (ResultSet changed = statement.getResultSet()) {
                while (changed.next()) {
                    rows++;
                }
            }
            return rows;
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int i = 0; i < parameters.length; i++) {
                Object parameter = parameters[i];
                if (parameter == null) {
                    statement.setNull(i + 1, Types.BIGINT);
                } else if (parameter instanceof Object[] array) {
                    statement.setArray(i + 1, connection.createArrayOf(typeOf(array), array));
                } else {
                    statement.setObject(i + 1, parameter);
                }
            }
            return statement;
        } catch (SQLException | RuntimeException failure) {
            statement.close();
            throw failure;
        }
    }

    private static String typeOf(Object[] array) {
        return array instanceof Long[] ? "bigint" : array instanceof Boolean[] ? "boolean" : "text";
    }
}
