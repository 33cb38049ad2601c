package dev.tenure.fence.sql;

import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalLong;

/** Transactions of a fence with the user's work in them, on a connection that goes back as it came. */
record FencedTransactions(String resource, FenceGate gate) {
    private static final Logger LOG = System.getLogger("dev.tenure");

    /** What is done in a transaction, and how many rows that were. */
    interface Work {
        long on(Connection connection) throws SQLException;
    }

    /** The fence was not taken, because another transaction came first: nothing has happened yet. */
    static final class NotTaken extends Exception {
        private static final long serialVersionUID = 1L;
        final SQLException failure;

        NotTaken(SQLException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    /**
     * Begins and takes the fence, works, commits: a round trip each.
     *
     * @return nothing if the fence is not at this term, and the work has not begun
     */
    OptionalLong run(Connection connection, Term term, Work work) throws SQLException, StaleTokenException, NotTaken {
        boolean before = connection.getAutoCommit();
        boolean open = true;
        try {
            connection.setAutoCommit(false);
            if (!isTaken(connection, term)) {
                return OptionalLong.empty();
            }
            long rows = work.on(WorkConnection.around(connection));
            commit(connection, resource);
            open = false;
            return OptionalLong.of(rows);
        } finally {
            putBack(connection, open, before);
        }
    }

    private boolean isTaken(Connection connection, Term term) throws SQLException, StaleTokenException, NotTaken {
        try {
            return gate.take(connection, term);
        } catch (SQLException failure) {
            if (SqlState.isConflict(failure)) {
                throw new NotTaken(failure); // nothing of the work was done
            }
            if (SqlState.isMissingTable(failure)) {
                return false; // the raise makes it, or tells how
            }
            throw failure;
        }
    }

    static void commit(Connection connection, String resource) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException failure) {
            throw CommitUnknownException.of(resource, failure);
        }
    }

    /** To be given autocommit commits whatever is open: a transaction that may be is ended first, or its connection is. */
    private static void putBack(Connection connection, boolean open, boolean autoCommit) {
        if (!open || rollBack(connection)) {
            restore(connection, autoCommit);
        } else {
            abort(connection);
        }
    }

    /** @return false if there may still be a transaction */
    static boolean rollBack(Connection connection) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return true;
        } catch (SQLException | RuntimeException gone) {
            LOG.log(Level.DEBUG, "a fenced transaction could not be rolled back", gone);
            return false;
        }
    }

    static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException gone) {
            LOG.log(Level.DEBUG, "a connection that cannot be rolled back cannot be ended either", gone);
        }
    }

    /** To where it came from. By then it is known what happened on it, and a failure here must not hide that. */
    static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException gone) {
            LOG.log(Level.DEBUG, "a connection could not be given back", gone);
        }
    }

    static void restore(Connection connection, boolean autoCommit) {
        try {
            connection.setAutoCommit(autoCommit);
        } catch (SQLException gone) {
            LOG.log(Level.DEBUG, "a connection could not be put back as it was", gone);
        }
    }
}
