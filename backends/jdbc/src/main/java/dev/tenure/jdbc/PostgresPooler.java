package dev.tenure.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/**
 * A pooler between this client and the server, such as PgBouncer. It hands connections of the server around, after each
 * transaction if it is told to, and the names that drivers give to statements are names within such a connection: S_1 may
 * there be a statement of somebody else, which would be executed without a word.
 */
final class PostgresPooler {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private PostgresPooler() {}

    static void avoidNamedStatements(Connection fresh) throws SQLException {
        if (!fresh.isWrapperFor(PGConnection.class)) {
            return;
        }
        PGConnection driver = fresh.unwrap(PGConnection.class);
        if (driver.getPrepareThreshold() != 0 && isBetween(driver, fresh)) {
            LOG.log(Level.DEBUG, "a pooler is in between: no statement gets a name at the server");
            driver.setPrepareThreshold(0);
        }
    }

    /** A pooler has to tell the driver some process id before there is a server behind it. */
    static boolean isBetween(PGConnection driver, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()")) {
            return rows.next() && rows.getInt(1) != driver.getBackendPID();
        }
    }
}
