package dev.tenure.jdbc;

import dev.tenure.jdbc.JdbcOptions.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Sees to it that the table is there and is one that this version understands. A row of the table itself tells its layout, so
 * that candidates of different versions cannot stand in two tables without noticing.
 */
final class TableSetup {
    private static final String KEY = "layout";
    private static final int KNOWN = 1;

    private final Dialect dialect;
    private final JdbcOptions options;
    private final SqlErrors errors;
    private volatile boolean checked;

    TableSetup(Dialect dialect, JdbcOptions options, SqlErrors errors) {
        this.dialect = dialect;
        this.options = options;
        this.errors = errors;
    }

    boolean isChecked() {
        return checked;
    }

    void ensure(Connection connection) throws SQLException {
        Optional<String> found;
        try {
            found = find(connection);
        } catch (SQLException missing) {
            if (errors.kind(missing) != SqlErrorKind.MISSING_TABLE || options.tables() == Tables.EXPECT) {
                throw missing;
            }
            found = create(connection);
        }
        if (found.isEmpty()) {
            write(connection);
            found = find(connection);
        }
        String layout = found.orElse("");
        if (!layout.equals(Integer.toString(KNOWN))) {
            throw errors.foreignLayout(options.table(), layout, KNOWN);
        }
        checked = true;
    }

    /** Somebody has removed the table: it is looked for, and made, again. */
    void forget() {
        checked = false;
    }

    /** The schema only if the table cannot be made without it: who may make the one may not always make the other. */
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
                return find(connection);
            } catch (SQLException stillMissing) {
                failure.addSuppressed(stillMissing);
                throw failure;
            }
        }
    }

    private Optional<String> find(Connection connection) throws SQLException {
        String query = "SELECT content FROM " + options.table() + " WHERE id = ?";
        return new SqlCall(query, KEY).first(connection, row -> row.getString(1));
    }

    private void write(Connection connection) throws SQLException {
        try {
            new SqlCall(dialect.insert(options.table()), KEY, "1", Integer.toString(KNOWN), null)
                    .change(connection, written -> {});
        } catch (SQLException failure) {
            if (errors.kind(failure) != SqlErrorKind.DUPLICATE) {
                throw failure;
            }
        }
    }
}
