package dev.tenure.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.IdentityHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections of the user's own pool, each for one call, and given back as they came. */
final class BorrowedConnections implements Connections {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final DataSource source;
    private final int timeoutMillis;
    private final IdentityHashMap<Connection, Before> borrowed = new IdentityHashMap<>();

    /** How a connection was when it came. */
    private record Before(boolean autoCommit, int timeoutMillis) {}

    BorrowedConnections(DataSource source, int timeoutMillis) {
        this.source = source;
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public Connection take() throws SQLException {
        Connection connection = source.getConnection();
        try {
            Before before = new Before(connection.getAutoCommit(), limitOf(connection));
            Connections.limit(connection, timeoutMillis); // first: on some databases the next line is a statement
            if (!before.autoCommit) {
                connection.setAutoCommit(true);
            }
            remember(connection, before);
            return connection;
        } catch (SQLException | RuntimeException failure) {
            Connections.end(connection);
            throw failure;
        }
    }

    private synchronized void remember(Connection connection, Before before) {
        borrowed.put(connection, before);
    }

    private synchronized @Nullable Before forget(Connection connection) {
        return borrowed.remove(connection);
    }

    @Override
    public void giveBack(Connection connection) {
        Before before = forget(connection);
        try {
            if (before != null) {
                if (!before.autoCommit) {
                    connection.setAutoCommit(false);
                }
                Connections.limit(connection, before.timeoutMillis);
            }
        } catch (SQLException broken) {
            LOG.log(Level.DEBUG, "a connection could not be put back as it was", broken);
        } finally {
            Connections.end(connection);
        }
    }

    /** The pool finds out by itself what is broken; what is not must still go back as it came. */
    @Override
    public void drop(Connection connection) {
        giveBack(connection);
    }

    /** The pool is the user's. */
    @Override
    public void close() {}

    private static int limitOf(Connection connection) throws SQLException {
        try {
            return connection.getNetworkTimeout();
        } catch (SQLFeatureNotSupportedException | AbstractMethodError unable) {
            return 0;
        }
    }
}
