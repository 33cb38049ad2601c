package dev.tenure.fence.sql;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Connections of another source, each of whose transactions goes through a fence. */
final class FencedDataSource implements DataSource {
    private final DataSource source;
    private final FencedSql fence;
    private final Leadership leadership;

    FencedDataSource(DataSource source, FencedSql fence, Leadership leadership) {
        this.source = source;
        this.fence = fence;
        this.leadership = leadership;
    }

    @Override
    public Connection getConnection() throws SQLException {
        raise();
        return FencedConnection.around(source.getConnection(), fence, leadership);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        raise();
        return FencedConnection.around(source.getConnection(username, password), fence, leadership);
    }

    /** In a transaction of its own, so that several who begin at once do not wait for each other's ends. */
    private void raise() throws SQLException {
        try {
            fence.ready(leadership.term());
        } catch (StaleTokenException stale) {
            leadership.fenced(stale.seen());
            throw new StaleTokenSqlException(stale);
        }
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return source.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        source.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        source.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return source.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return source.getParentLogger();
    }

    /** The source behind it would hand out connections without a fence. */
    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("a fenced data source is not unwrapped: what is behind it has no fence");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
