// SPDX-License-Identifier: Apache-2.0
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
public final class SqlCall {
    private final String text;
    private final @Nullable Object[] parameters;

    public SqlCall(String text, @Nullable Object... parameters) {
        this.text = text;
        this.parameters = parameters;
    }

    /** Reads one row. */
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Looks at a statement that was answered, before its answer is believed. */
    public interface Check {
        void answered(Statement statement) throws SQLException;
    }

    public <T> List<T> rows(Connection connection, Row<T> row) throws SQLException {
        return rows(connection, row, answered -> {});
    }

    public <T> List<T> rows(Connection connection, Row<T> row, Check check) throws SQLException {
        List<T> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            set(statement);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(row.read(rows));
                }
            }
            check.answered(statement);
        }
        return found;
    }

    public <T> Optional<T> first(Connection connection, Row<T> row) throws SQLException {
        return rows(connection, row).stream().findFirst();
    }

    /** How many rows a write has changed; one that is a query has a row for each. */
    public int change(Connection connection, Check check) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            set(statement);
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

    private void set(PreparedStatement statement) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            Object parameter = parameters[i];
            if (parameter == null) {
                statement.setNull(i + 1, Types.BIGINT);
            } else if (parameter instanceof Object[] array) {
                statement.setArray(i + 1, statement.getConnection().createArrayOf(typeOf(array), array));
            } else {
                statement.setObject(i + 1, parameter);
            }
        }
    }

    private static String typeOf(Object[] array) {
        return array instanceof Long[] ? "bigint" : array instanceof Boolean[] ? "boolean" : "text";
    }
}
