package dev.tenure.fence.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * How a fenced transaction ends on PostgreSQL that compares at its commit: the comparison and the COMMIT, as one text which the
 * driver sends at once. The server does not execute the second if the first fails.
 *
 * <p>Why this is safe: the row is held from the comparison to the end of the commit, in a mode that keeps out who raises it. So
 * a transaction either commits before a raise returns, or finds the row raised and is rolled back with all that it did.
 *
 * <p>What it does not do: until then it holds nothing, so that a raise does not wait for the work. A process that falls asleep
 * in it keeps nobody from leading, but the rows that it has changed. Only the connection itself can limit that, for nothing is
 * sent before the work: see {@link #obstacle}.
 */
final class Closing {
    private static final String LIMIT_AND_TRIGGERS =
            "SELECT s.setting, EXISTS (SELECT 1 FROM pg_trigger t WHERE tgname = '"
                    + TableGuard.TRIGGER + "' AND " + PostgresStatus.RESOURCE
                    + " = ?) FROM pg_settings s WHERE s.name = 'idle_in_transaction_session_timeout'";

    private final Comparison comparison;
    private final String text;
    private final String resource;
    private final Duration idleAtMost;

    Closing(Comparison comparison, String resource, FenceOptions options) {
        this.comparison = comparison;
        this.text = "SELECT " + comparison.expression() + "; COMMIT";
        this.resource = resource;
        this.idleAtMost = options.idleAtMost();
    }

    /**
     * What stands against comparing last on connections like this one, for people to read; nothing if nothing does.
     *
     * @param connection with autocommit, so that it shows the limit of its session
     */
    String obstacle(Connection connection) throws SQLException {
        List<String> found = Sql.rows(connection, LIMIT_AND_TRIGGERS, resource).get(0);
        long limitMillis = Long.parseLong(found.get(0));
        if (limitMillis == 0 || limitMillis > idleAtMost.toMillis()) {
            return "a transaction on its connections may be idle for "
                    + (limitMillis == 0 ? "ever" : limitMillis + " ms") + ", and idleAtMost is "
                    + idleAtMost.toMillis() + " ms: give them that limit, for instance with options=-c%20"
                    + "idle_in_transaction_session_timeout=" + idleAtMost.toMillis() + " in the URL";
        }
        boolean triggers = found.get(1).equals("t");
        return triggers ? "triggers of this fence have to be shown the token before the work" : "";
    }

    /**
     * Commits, if the fence is at this term.
     *
     * @param connection without autocommit
     * @return false if the fence is not at this term: nothing is committed, and there is a failed transaction
     * @throws CommitUnknownException if the database may have committed, but did not say so
     */
    boolean commit(Connection connection, Badge badge) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            comparison.present(statement, 1, badge);
            statement.execute();
            return true;
        } catch (SQLException failure) {
            if (comparison.isReasonOf(failure)) {
                return false;
            }
            throw SqlState.mayHaveCommitted(failure) ? new CommitUnknownException(resource, failure) : failure;
        }
    }
}
