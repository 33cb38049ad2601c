package dev.tenure.fence.sql;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * How a fenced transaction ends on PostgreSQL that compares at its commit: the comparison and the COMMIT, as one text which the
 * driver sends at once. The server does not execute the second if the first fails.
 *
 * <p>Why this is safe: the row is held from the comparison to the end of the commit, in a mode that keeps out who raises it. So
 * a transaction either commits before a raise returns, or finds the row raised and is rolled back with all that it did.
 *
 * <p>What it does not do: until then it holds nothing, so that a raise does not wait for the work. A process that falls asleep
 * in it keeps nobody from leading, but the rows that it has changed. Only the session itself can limit that, for nothing is
 * sent before the work: see {@link SessionFacts}.
 */
final class Closing {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final Comparison comparison;
    private final String text;
    private final String resource;

    /** @param comparison with a row whose table is named with its schema */
    Closing(Comparison comparison, String resource) {
        this.comparison = comparison;
        this.text = "SELECT " + comparison.expression() + "; COMMIT";
        this.resource = resource;
    }

    /**
     * Commits, if the fence is at this term.
     *
     * @param connection without autocommit
     * @return false if the fence is not at this term: nothing is committed, and there is a failed transaction
     * @throws CommitUnknownException if the database may have committed, but did not say so
     */
    boolean commit(Connection connection, Badge badge) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(text);
        try {
            comparison.present(statement, 1, badge);
            return execute(statement);
        } finally {
            close(statement);
        }
    }

    private boolean execute(PreparedStatement statement) throws SQLException {
        try {
            statement.execute();
            return true;
        } catch (SQLException failure) {
            if (comparison.isReasonOf(failure)) {
                return false;
            }
            throw SqlState.mayHaveCommitted(failure) ? new CommitUnknownException(resource, failure) : failure;
        }
    }

    /** It must not hide whether it was committed. */
    private static void close(PreparedStatement statement) {
        try {
            statement.close();
        } catch (SQLException gone) {
            LOG.log(Level.DEBUG, "a statement that is done could not be closed", gone);
        }
    }
}
