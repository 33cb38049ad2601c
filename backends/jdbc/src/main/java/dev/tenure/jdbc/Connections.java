package dev.tenure.jdbc;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

/** Where connections come from, for one call each. Called by the threads for blocking clients. */
interface Connections extends AutoCloseable {
    /** With autocommit, and with a limit on how long an answer is waited for. */
    Connection take() throws SQLException;

    /** After a call that was answered. */
    void giveBack(Connection connection);

    /** After a call that was not: neither it nor those that are idle are to be trusted. */
    void drop(Connection connection);

    /** Those in use end when they are given back. */
    @Override
    void close();

    /** How long answers are waited for. Where a driver cannot, its own settings have to do. */
    static void limit(Connection connection, int timeoutMillis) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, timeoutMillis);
        } catch (SQLFeatureNotSupportedException | AbstractMethodError unable) {
            return;
        }
    }

    static void end(Connection connection) {
        try {
            connection.close();
        } catch (SQLException gone) {
            System.getLogger("dev.tenure").log(Level.DEBUG, "a connection could not be closed", gone);
        }
    }
}
