package dev.tenure.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** As many physical connections as calls run at once, kept open. */
final class OwnConnections implements Connections {
    private final String url;
    private final Supplier<Properties> properties;
    private final int timeoutMillis;
    private final Dialect dialect;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private boolean closed;

    /** @param properties asked for each connection: a password in a file may change */
    OwnConnections(String url, Supplier<Properties> properties, int timeoutMillis, Dialect dialect) {
        this.url = url;
        this.properties = properties;
        this.timeoutMillis = timeoutMillis;
        this.dialect = dialect;
    }

    @Override
    public Connection take() throws SQLException {
        Connection kept = poll();
        if (kept != null) {
            return kept;
        }
        Connection fresh = DriverManager.getConnection(url, properties.get());
        try {
            fresh.setAutoCommit(true);
            Connections.limit(fresh, timeoutMillis);
            dialect.settle(fresh);
            return fresh;
        } catch (SQLException | RuntimeException failure) {
            Connections.end(fresh);
            throw failure;
        }
    }

    private synchronized @Nullable Connection poll() {
        return idle.poll();
    }

    @Override
    public void giveBack(Connection connection) {
        synchronized (this) {
            if (!closed) {
                idle.push(connection);
                return;
            }
        }
        Connections.end(connection);
    }

    @Override
    public void drop(Connection connection) {
        Connections.end(connection);
        empty().forEach(Connections::end);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        empty().forEach(Connections::end);
    }

    private synchronized List<Connection> empty() {
        List<Connection> all = List.copyOf(idle);
        idle.clear();
        return all;
    }
}
