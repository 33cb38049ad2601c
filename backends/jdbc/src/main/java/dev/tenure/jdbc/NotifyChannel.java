package dev.tenure.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Where changes of a table of PostgreSQL are announced. A channel belongs to the whole database, in which tables of one name
 * may stand in many schemas; so it is named by the number that the server has given to this very table, whether its schema was
 * told or is the one where the session finds it first. The name has 58 characters at most, of 63 that it may have.
 *
 * @param table as statements have it: with its schema or without, and {@link JdbcOptions} has checked both names
 */
public record NotifyChannel(String table) {
    /** For statements that announce: an expression, which the server works out when it plans them. */
    public String expression() {
        return "'" + beginning() + "' || '" + table + "'::regclass::oid::text";
    }

    /** For those who listen; empty as long as there is no such table. */
    public Optional<String> find(Connection connection) throws SQLException {
        String query = "SELECT '" + beginning() + "' || to_regclass('" + table + "')::oid::text";
        return new SqlCall(query)
                .first(connection, row -> Optional.ofNullable(row.getString(1)))
                .flatMap(name -> name);
    }

    private String beginning() {
        return table.substring(table.indexOf('.') + 1) + "_";
    }
}
