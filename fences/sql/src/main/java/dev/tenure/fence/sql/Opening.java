package dev.tenure.fence.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

/**
 * How a fenced transaction begins on PostgreSQL: its BEGIN and the comparison, as one text which the driver sends at once.
 *
 * <p>Why the BEGIN is ours: the driver's own goes as a message of another kind, which the server answers by itself. The client
 * is woken for that answer, finds that it is not the one it waits for, and sleeps again while the server compares. That costs
 * a third of a round trip.
 *
 * <p>A row that is not at this very term makes the comparison <em>fail</em>, instead of returning nothing: so nothing has to
 * be read from its answer, and whatever the text goes on with is not executed. The row is taken by the same locking read, and
 * in the same mode, as everywhere else. It is the newest committed row that is compared, also after waiting for a raise.
 */
final class Opening {
    /** Where the row does not match, this is what cannot be read as a number: so the server says it in its message. */
    private static final String NOT_AT_THIS_TERM = "tenure: the fence is not at this term";

    private final String text;
    private final String resource;
    private final String storeId;
    /** Of the fence's table, in whichever quotation marks the server's language has. */
    private final Pattern mention;

    Opening(Dialect dialect, String resource, FenceOptions options) {
        this.resource = resource;
        this.storeId = options.storeId();
        String table = options.table();
        this.mention = Pattern.compile("(?<![\\w.])" + Pattern.quote(table) + "(?![\\w.])");
        String sameStore = storeId.isEmpty() ? "" : " AND store IN ('', ?)";
        // The limit is for a process that falls asleep in the transaction, also where the driver has parted the text.
        // Lengths, because a driver may part it behind a text of unknown length.
        // What is no number must not be a constant by itself: it would fail when the statement is planned.
        this.text = "BEGIN; SELECT length(set_config('" + Presentation.setting(resource) + "', ?, true)),"
                + " length(set_config('idle_in_transaction_session_timeout', '"
                + options.idleAtMost().toMillis() + "', true)),"
                + " CAST(coalesce((SELECT '1' FROM " + table
                + " WHERE resource = ? AND election = ? AND token = ? AND nonce = ?" + sameStore + " "
                + dialect.sharedLock() + "), '" + NOT_AT_THIS_TERM + "') AS INTEGER)";
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
    int present(PreparedStatement statement, Badge badge) throws SQLException {
        statement.setString(1, badge.shown());
        statement.setString(2, resource);
        statement.setString(3, badge.election());
        statement.setLong(4, badge.token());
        statement.setString(5, badge.nonce());
        if (storeId.isEmpty()) {
            return 6;
        }
        statement.setString(6, storeId);
        return 7;
    }

    /**
     * Begins a transaction that holds the fence, and leaves the connection without autocommit in it. Whatever else it does, it
     * leaves no transaction behind: on a connection with autocommit nobody would end it.
     *
     * @param connection with autocommit, so that the driver begins no transaction of its own
     * @return false if the fence is not at this term
     */
    boolean open(Connection connection, Badge badge) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            present(statement, badge);
            statement.execute();
            connection.setAutoCommit(false); // sends nothing: the driver was told that there is a transaction
            return true;
        } catch (SQLException failure) {
            rollBack(connection, failure);
            if (isOfTheFence(failure)) {
                return false;
            }
            throw failure;
        } catch (RuntimeException | Error failure) {
            rollBack(connection, failure);
            throw failure;
        }
    }

    /** Did the comparison fail, and not what stands behind it? Then the fence has to be raised, or refuses to be. */
    boolean isOfTheFence(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains(NOT_AT_THIS_TERM)
                || (SqlState.isMissingTable(failure) && mention.matcher(message).find());
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
