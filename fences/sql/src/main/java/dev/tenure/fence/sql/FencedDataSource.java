package dev.tenure.fence.sql;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Connections of another source, each of whose transactions goes through a fence. */
final class FencedDataSource implements DataSource {
    /** What lets a transaction through. */
    interface Pass {
        /** To be called before a connection is handed out. */
        void prepare() throws SQLException;

        /** To be called before its first statement. */
        void enter(Connection connection) throws SQLException;

        /** What a failed commit means. */
        SQLException ofCommit(SQLException failure);
    }

    private final DataSource source;
    private final Pass pass;

    FencedDataSource(DataSource source, Pass pass) {
        this.source = source;
        this.pass = pass;
    }

    @Override
    public Connection getConnection() throws SQLException {
        pass.prepare();
        return FencedConnection.around(source.getConnection(), pass);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        pass.prepare();
        return FencedConnection.around(source.getConnection(username, password), pass);
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
