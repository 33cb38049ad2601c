package dev.tenure.jdbc;

import dev.tenure.jdbc.JdbcOptions.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Optional;

/**
 * Sees to it that the table is there and is one that this version understands. A row of the table itself tells its layout, so
 * that candidates of different versions cannot stand in two tables without noticing.
 */
final class Layout {
    private static final String KEY = "layout";
    private static final int KNOWN = 1;

    private final Dialect dialect;
    private final JdbcOptions options;
    private final Trouble trouble;
    private volatile boolean checked;

    Layout(Dialect dialect, JdbcOptions options, Trouble trouble) {
        this.dialect = dialect;
        this.options = options;
        this.trouble = trouble;
    }

    boolean isChecked() {
        return checked;
    }

    void ensure(Connection connection) throws SQLException {
        Optional<String> found;
        try {
            found = find(connection);
        } catch (SQLException missing) {
            if (trouble.complaint(missing) != Complaint.MISSING_TABLE || options.tables() == Tables.EXPECT) {
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
            throw trouble.foreignLayout(layout, KNOWN);
        }
        checked = true;
    }

    /** Somebody has removed the table: it is looked for, and made, again. */
    void forget() {
        checked = false;
    }

    private Optional<String> create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            create(statement);
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

    /** The schema only if the table cannot be made without it: who may make the one may not always make the other. */
    private void create(Statement statement) throws SQLException {
        try {
            statement.execute(dialect.createTable(options.table()));
        } catch (SQLException failure) {
            Complaint complaint = trouble.complaint(failure);
            boolean schemaMissing = complaint == Complaint.MISSING_TABLE || complaint == Complaint.MISSING_DATABASE;
            if (options.schema().isEmpty() || !schemaMissing) {
                throw failure;
            }
            statement.execute("CREATE SCHEMA IF NOT EXISTS " + options.schema().get());
            statement.execute(dialect.createTable(options.table()));
        }
    }

    private Optional<String> find(Connection connection) throws SQLException {
        String query = "SELECT content FROM " + options.table() + " WHERE id = ?";
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, KEY);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
            }
        }
    }

    private void write(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(dialect.insert(options.table()))) {
            statement.setString(1, KEY);
            statement.setString(2, "1");
            statement.setString(3, Integer.toString(KNOWN));
            statement.setNull(4, Types.BIGINT);
            statement.executeUpdate();
        } catch (SQLException failure) {
            if (trouble.complaint(failure) != Complaint.DUPLICATE) {
                throw failure;
            }
        }
    }
}
