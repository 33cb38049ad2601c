// SPDX-License-Identifier: Apache-2.0
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    /** The same failure, in words that say what to do. */
    static SQLException explained(String sentence, SQLException failure) {
        return new SQLException(sentence, SqlState.of(failure), failure.getErrorCode(), failure);
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** @param first the number of the first of these parameters */
    static void bind(PreparedStatement statement, int first, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(first + i, parameters[i]);
        }
    }

    /** All rows, each with all its columns as text; a null is empty. */
    static List<List<String>> rows(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            bind(query, 1, parameters);
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

    /** What databases mean by their codes. */
    static final class SqlState {
        /** A stale token, or none where one is needed. Ours: no standard and no database has a class TF. */
        static final String STALE = "TF001";

        private static final Set<String> MISSING_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");
        /** H2: another transaction has changed the row. MariaDB: a deadlock, and a row that has changed since the snapshot. */
        private static final Set<Integer> CONFLICTS = Set.of(90131, 1213, 1020);
        /** MariaDB: a statement and a lock that took too long. H2: a lock. */
        private static final Set<Integer> TIMEOUTS = Set.of(1969, 1205, 50200);

        /** The connection, what the server or the driver has too little of, an operator who ends it, the system, the server itself. */
        private static final Set<String> NOT_OF_A_STATEMENT = Set.of("08", "53", "57", "58", "XX", "F0", "99");

        private static final String UNKNOWN = "40003";
        /** A statement before had failed, and the server answered the commit with a rollback. */
        private static final String FAILED_BEFORE = "25P02";

        private static final String CANCELLED = "57014";

        private SqlState() {}

        static String of(SQLException failure) {
            return failure.getSQLState() == null ? "" : failure.getSQLState();
        }

        static boolean isMissingTable(SQLException failure) {
            return MISSING_TABLE.contains(of(failure));
        }

        /** It gave way to another transaction: the same again, in a new transaction, may succeed. */
        static boolean isConflict(SQLException failure) {
            boolean conflict = of(failure).startsWith("40") || CONFLICTS.contains(failure.getErrorCode());
            return conflict && !isTimeout(failure);
        }

        /** A row, a table or a type that somebody else has just made. */
        static boolean isDuplicate(SQLException failure) {
            String state = of(failure);
            return state.startsWith("23") || state.equals("42P07") || state.equals("42710");
        }

        /**
         * A commit failed, and surely nothing of it is there: a failed serialization, a violated deferred constraint, or a statement
         * whose failure the work has passed over.
         */
        static boolean isRolledBack(SQLException failure) {
            String state = of(failure);
            boolean refused = state.startsWith("40") || state.startsWith("23") || state.equals(FAILED_BEFORE);
            return refused && !state.equals(UNKNOWN);
        }

        /**
         * A statement failed that was sent together with its commit: may that have been executed all the same? Not if the server
         * has refused the statement. It may if the connection, the server or the driver failed.
         */
        static boolean mayHaveCommitted(SQLException failure) {
            String state = of(failure);
            boolean ofAStatement = state.length() == 5 && !NOT_OF_A_STATEMENT.contains(state.substring(0, 2));
            boolean refused = ofAStatement || state.equals(CANCELLED);
            return !refused || state.equals(UNKNOWN);
        }

        /** The time for a statement was up, or a lock was not to be had in that time. */
        static boolean isTimeout(SQLException failure) {
            String state = of(failure);
            return state.equals(CANCELLED) || state.equals("55P03") || TIMEOUTS.contains(failure.getErrorCode());
        }
    }
}
