package dev.tenure.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

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
}
