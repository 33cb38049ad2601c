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
 * A whole fenced transaction in one round trip: its beginning, the comparison, one statement of the user's, and the commit, as
 * one text which PostgreSQL's driver sends at once. The server executes them one after the other, and nothing behind one that
 * fails.
 *
 * <p>Why this is as safe as three round trips: the row is taken first, by the same locking read, and held until the commit. A
 * row that is not at this very term makes that read fail, instead of returning nothing, so that neither the statement nor the
 * commit is executed. The transaction is an explicit one, because a driver may part the text where it expects a long answer:
 * then the rest comes into the same transaction, and into a failed one in vain.
 */
final class FencedUpdate {
    /** Where the row does not match, this is what cannot be read as a number: so the server says it in its message. */
    private static final String NOT_AT_THIS_TERM = "tenure: the fence is not at this term";

    private final String comparison;
    private final String resource;
    /** Of the fence's table, in whichever quotation marks the server's language has. */
    private final Pattern mention;

    private final String storeId;

    FencedUpdate(Dialect dialect, String resource, FenceOptions options) {
        this.resource = resource;
        String table = options.table();
        this.mention = Pattern.compile("(?<![\\w.])" + Pattern.quote(table) + "(?![\\w.])");
        this.storeId = options.storeId();
        String sameStore = storeId.isEmpty() ? "" : " AND store IN ('', ?)";
        // The limit is for a process that falls asleep where the driver has parted the text.
        // Lengths, because a driver may part it behind a text of unknown length.
        // What is no number must not be a constant by itself: it would fail when the statement is planned.
        this.comparison = "BEGIN; SELECT length(set_config('" + Presentation.setting(resource) + "', ?, true)),"
                + " length(set_config('idle_in_transaction_session_timeout', '"
                + options.idleAtMost().toMillis() + "', true)),"
                + " CAST(coalesce((SELECT '1' FROM " + table
                + " WHERE resource = ? AND election = ? AND token = ? AND nonce = ?" + sameStore + " "
                + dialect.sharedLock() + "), '" + NOT_AT_THIS_TERM + "') AS INTEGER); ";
    }

    /** Only the driver that is known to send several statements with parameters at once. */
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
                FencedSql.restore(connection, false); // a failure here must not hide whether it was committed
            }
        }
    }

    private OptionalLong together(Connection connection, Term term, String sql, @Nullable Object[] parameters)
            throws SQLException {
        // On a line of its own: the statement may end in a comment.
        try (PreparedStatement all = connection.prepareStatement(comparison + sql + "\n; COMMIT")) {
            int next = compare(all, term);
            for (@Nullable Object parameter : parameters) {
                all.setObject(next++, parameter);
            }
            return OptionalLong.of(rows(all));
        } catch (SQLException failure) {
            rollBack(connection, failure);
            if (isOfTheFence(failure)) {
                return OptionalLong.empty();
            }
            throw SqlState.mayHaveCommitted(failure) ? new CommitUnknownException(resource, failure) : failure;
        }
    }

    /** The transaction was begun by a statement, so it is one that ends it. */
    private static void rollBack(Connection connection, SQLException failure) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException gone) {
            failure.addSuppressed(gone);
            abort(connection, failure);
        }
    }

    /** Nobody shall find an open transaction on it. */
    private static void abort(Connection connection, SQLException failure) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            failure.addSuppressed(gone);
        }
    }

    /** Did the comparison fail, and not the statement behind it? Then the fence has to be raised, or refuses to be. */
    private boolean isOfTheFence(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains(NOT_AT_THIS_TERM)
                || (SqlState.isMissingTable(failure) && mention.matcher(message).find());
    }

    private int compare(PreparedStatement all, Term term) throws SQLException {
        all.setString(1, Presentation.value(term));
        all.setString(2, resource);
        all.setString(3, term.election().encoded());
        all.setLong(4, term.token().value());
        all.setString(5, term.nonce().toString());
        if (storeId.isEmpty()) {
            return 6;
        }
        all.setString(6, storeId);
        return 7;
    }

    private static long rows(PreparedStatement all) throws SQLException {
        all.execute();
        all.getMoreResults(); // the comparison, behind the beginning
        return rows(all, all.getMoreResults());
    }

    /** The statement by itself, in a transaction that holds the fence. */
    static long alone(Connection connection, String sql, @Nullable Object[] parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return rows(statement, statement.execute());
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
