package dev.tenure.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where changes of a table of PostgreSQL are announced. A channel belongs to the whole database, in which tables of one name
 * may stand in many schemas; so it is named by the number that the server has given to this very table, whether its schema was
 * told or is the one where the session finds it first. The name has 58 characters at most, of 63 that it may have.
 *
 * @param table as statements have it
 */
public record NotifyChannel(String table) {
    private static final Pattern PLAIN = Pattern.compile("([a-z][a-z0-9_]*\\.)?[a-z][a-z0-9_]*");

    public NotifyChannel {
        if (!PLAIN.matcher(table).matches()) {
            throw new IllegalArgumentException("not the name of a table, with or without its schema: '" + table + "'");
        }
    }

    /** For statements that announce: an expression, which the server works out when it plans them. */
    public String expression() {
        return "'" + beginning() + "' || '" + table + "'::regclass::oid::text";
    }

    /** For those who listen; empty as long as there is no such table. */
    public Optional<String> find(Connection connection) throws SQLException {
        String query = "SELECT '" + beginning() + "' || to_regclass('" + table + "')::oid::text";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty();
        }
    }

    private String beginning() {
        return table.substring(table.indexOf('.') + 1) + "_";
    }
}
