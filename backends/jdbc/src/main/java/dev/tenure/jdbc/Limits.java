package dev.tenure.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

/** How long the answers on a connection are waited for. */
final class Limits {
    private Limits() {}

    /** Where a driver cannot, its own settings have to do. */
    static void set(Connection connection, int timeoutMillis) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, timeoutMillis);
        } catch (SQLFeatureNotSupportedException | AbstractMethodError unable) {
            return;
        }
    }

    static int of(Connection connection) throws SQLException {
        try {
            return connection.getNetworkTimeout();
        } catch (SQLFeatureNotSupportedException | AbstractMethodError unable) {
            return 0;
        }
    }
}
