package dev.tenure.fence.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Short forms for statements of operators, none of which is in a hurry. */
final class Sql {
    private Sql() {}

    /** A script of this package, with its schema and its table filled in. */
    static String script(String name, String schema, String table) {
        try (InputStream script = Sql.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException(name + " is missing among the classes");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("${schema}", schema)
                    .replace("${table}", table);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** All rows, each with all its columns as text; a null is empty. */
    static List<List<String>> rows(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                query.setObject(i + 1, parameters[i]);
            }
            List<List<String>> all = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    List<String> row = new ArrayList<>();
                    for (int column = 1; column <= columns; column++) {
                        String value = rows.getString(column);
                        row.add(value == null ? "" : value);
                    }
                    all.add(row);
                }
            }
            return all;
        }
    }

    /** The first column. */
    static List<String> column(Connection connection, String sql, Object... parameters) throws SQLException {
        return rows(connection, sql, parameters).stream().map(row -> row.get(0)).toList();
    }
}
