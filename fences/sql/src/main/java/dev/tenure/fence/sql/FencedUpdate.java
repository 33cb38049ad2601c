package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A whole fenced transaction in one round trip: BEGIN, the comparison, one statement of the user's, and COMMIT, as one text
 * which PostgreSQL's driver sends at once. The server executes them one after the other, and nothing behind one that fails.
 *
 * <p>Why this is as safe as three round trips: the row is taken first, by the same locking read, and held until the commit. It
 * is the newest committed row that is compared, also after waiting for a raise. A row that is not at this very term makes that
 * read <em>fail</em>, instead of returning nothing, so that neither the statement nor the commit is executed. The transaction
 * is an explicit one, because a driver may part the text where it expects a long answer: then the rest comes into the same
 * transaction, and into a failed one in vain.
 */
final class FencedUpdate {
    /** Where the row does not match, this is what cannot be read as a number: so the server says it in its message. */
    private static final String NOT_AT_THIS_TERM = "tenure: the fence is not at this term";

    private final String resource;
    private final FenceOptions options;
    /** Two statements, without a semicolon behind them. */
    private final String opening;
    /** Of the fence's table, in whichever quotation marks the server's language has. */
    private final Pattern mention;

    FencedUpdate(Dialect dialect, String resource, FenceOptions options) {
        this.resource = resource;
        this.options = options;
        this.mention = Pattern.compile("(?<![\\w.])" + Pattern.quote(options.table()) + "(?![\\w.])");
        // Lengths, because a driver may part the text behind a text of unknown length. What is no number must not be a
        // constant by itself: it would fail when the statement is planned.
        this.opening = "BEGIN; SELECT length(set_config('" + Presentation.setting(resource) + "', ?, true)),"
                + " length(set_config('idle_in_transaction_session_timeout', ?, true)), CAST(coalesce((SELECT '1' FROM "
                + dialect.sharedQueue(options.table(), resource) + options.table()
                + " WHERE resource = ? AND election = ? AND token = ? AND nonce = ? AND ('' = ? OR store IN ('', ?)) "
                + dialect.sharedLock() + "), '" + NOT_AT_THIS_TERM + "') AS INTEGER)";
    }

    /** Only with the driver that is known to send several statements with parameters at once. */
    static boolean isPossible(Connection connection) throws SQLException {
        return connection.getMetaData().getDriverName().equals("PostgreSQL JDBC Driver");
    }

    /**
     * @return how many rows the statement changed or returned; nothing if the fence is not at this term, and nothing was done
     * @throws CommitUnknownException if the database may have committed, but did not say so
     */
    OptionalLong execute(Connection connection, Term term, String sql, @Nullable Object[] parameters)
            throws SQLException {
        boolean before = connection.getAutoCommit();
        if (!before) {
            connection.setAutoCommit(true); // so that the driver begins no transaction of its own
        }
        try {
            return together(connection, term, sql, parameters);
        } finally {
            if (!before) {
                FencedTransactions.restore(connection, false); // a failure here must not hide whether it was committed
            }
        }
    }

    private OptionalLong together(Connection connection, Term term, String sql, @Nullable Object[] parameters)
            throws SQLException {
        // The commit is on a line of its own: the statement may end in a comment.
        try (PreparedStatement all = connection.prepareStatement(opening + "; " + sql + "\n; COMMIT")) {
            int next = Dialect.POSTGRESQL.present(all, resource, term, options.idleAtMost());
            all.setString(next++, resource);
            all.setString(next++, term.election().encoded());
            all.setLong(next++, term.token().value());
            all.setString(next++, term.nonce().toString());
            all.setString(next++, options.storeId());
            all.setString(next++, options.storeId());
            bind(all, next, parameters);
            all.execute();
            all.getMoreResults(); // the comparison, behind the beginning
            return OptionalLong.of(rows(all, all.getMoreResults()));
        } catch (SQLException failure) {
            rollBack(connection, failure);
            if (isOfTheComparison(failure)) {
                return OptionalLong.empty();
            }
            throw SqlState.mayHaveCommitted(failure) ? new CommitUnknownException(resource, failure) : failure;
        } catch (RuntimeException | Error failure) {
            rollBack(connection, failure);
            throw failure;
        }
    }

    /** Did the comparison fail, and not the user's statement? Then the fence has to be raised, or refuses to be. */
    private boolean isOfTheComparison(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains(NOT_AT_THIS_TERM)
                || (SqlState.isMissingTable(failure) && mention.matcher(message).find());
    }

    /** The transaction was begun by a statement, so it is one that ends it; or its connection ends, if that fails. */
    private static void rollBack(Connection connection, Throwable failure) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException | RuntimeException gone) {
            failure.addSuppressed(gone);
            FencedTransactions.abort(connection);
        }
    }

    /** The statement by itself, in a transaction that holds the fence. */
    static long alone(Connection connection, String sql, @Nullable Object[] parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, 1, parameters);
            return rows(statement, statement.execute());
        }
    }

    private static void bind(PreparedStatement statement, int first, @Nullable Object[] parameters)
            throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(first + i, parameters[i]);
        }
    }

    /** Rows that a statement returns count like rows that it changes. */
    private static long rows(PreparedStatement statement, boolean returnsRows) throws SQLException {
        if (!returnsRows) {
            return statement.getLargeUpdateCount();
        }
        long rows = 0;
        try (ResultSet returned = statement.getResultSet()) {
            while (returned.next()) {
                rows++;
            }
        }
        return rows;
    }
}
