package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * How a fenced transaction begins on PostgreSQL: its BEGIN and the comparison, as one text which the driver sends at once.
 *
 * <p>Why the BEGIN is ours: the driver's own goes as a message of another kind, which the server answers by itself. The client
 * is woken for that answer, finds that it is not the one it waits for, and sleeps again while the server compares. That costs
 * a third of a round trip.
 *
 * <p>Behind it the transaction holds the fence, or has failed: whatever the text goes on with is then not executed.
 */
final class Opening {
    private final Comparison comparison;
    private final String text;

    Opening(Comparison comparison, String resource, FenceOptions options) {
        this.comparison = comparison;
        // The token is for triggers, the limit for a process that falls asleep in the transaction, also where the
        // driver has
        // parted the text. Lengths, because a driver may part it behind a text of unknown length.
        this.text = "BEGIN; SELECT length(set_config('" + Presentation.setting(resource) + "', ?, true)),"
                + " length(set_config('idle_in_transaction_session_timeout', '"
                + options.idleAtMost().toMillis() + "', true)), " + comparison.expression();
    }

    /** Only the driver that is known to send several statements with parameters at once. */
    static boolean isPossible(Connection connection) throws SQLException {
        return connection.getMetaData().getDriverName().equals("PostgreSQL JDBC Driver");
    }

    /** Two statements, without a semicolon behind them. */
    String text() {
        return text;
    }

    /** Sets the parameters of the text. Returns the number of the next one. */
    int present(PreparedStatement statement, Term term) throws SQLException {
        statement.setString(1, Presentation.value(term));
        return comparison.present(statement, 2, term);
    }

    /**
     * Begins a transaction that holds the fence, and leaves the connection without autocommit in it. Whatever else it does, it
     * leaves no transaction behind: on a connection with autocommit nobody would end it.
     *
     * @param connection with autocommit, so that the driver begins no transaction of its own
     * @return false if the fence is not at this term
     */
    boolean open(Connection connection, Term term) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            present(statement, term);
            statement.execute();
            connection.setAutoCommit(false); // sends nothing: the driver was told that there is a transaction
            return true;
        } catch (SQLException failure) {
            rollBack(connection, failure);
            if (comparison.isReasonOf(failure)) {
                return false;
            }
            throw failure;
        } catch (RuntimeException | Error failure) {
            rollBack(connection, failure);
            throw failure;
        }
    }

    /** The transaction was begun by a statement, so it is one that ends it. */
    static void rollBack(Connection connection, Throwable failure) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException | RuntimeException gone) {
            failure.addSuppressed(gone);
            abort(connection, failure);
        }
    }

    /** Nobody shall find an open transaction on it. */
    private static void abort(Connection connection, Throwable failure) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            failure.addSuppressed(gone);
        }
    }
}
