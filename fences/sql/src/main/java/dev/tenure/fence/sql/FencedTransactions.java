// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.fence.sql.Sql.SqlState;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Transactions of a fence with the user's work in them, on a connection that goes back as it came. */
record FencedTransactions(String resource, FenceRows gate) {
    private static final Logger LOG = System.getLogger("dev.tenure");

    /** What is done in a transaction, and how many rows that were. */
    interface Work {
        long on(Connection connection) throws SQLException;
    }

    /** What is done on a connection, and how many rows that were; nothing if the fence is not at the term. */
    interface Attempt {
        OptionalLong on(Connection connection) throws SQLException, StaleTokenException;
    }

    /** The fence was not taken, because another transaction came first: nothing has happened yet. */
    static final class NotTaken extends SQLException {
        private static final long serialVersionUID = 1L;
        final SQLException failure;

        NotTaken(SQLException failure) {
            super(failure.getMessage(), failure.getSQLState(), failure.getErrorCode(), failure);
            this.failure = failure;
        }
    }

    /**
     * Begins and takes the fence, works, commits: a round trip each.
     *
     * @return nothing if the fence is not at this term, and the work has not begun
     */
    OptionalLong run(Connection connection, Term term, Work work) throws SQLException, StaleTokenException {
        boolean before = connection.getAutoCommit();
        boolean open = true;
        try {
            connection.setAutoCommit(false);
            if (!isTaken(connection, term)) {
                return OptionalLong.empty();
            }
            FencedConnection working = FencedConnection.forWork(connection);
            long rows = work.on(working.shown());
            commit(connection, resource, working.hasFailed());
            open = false;
            return OptionalLong.of(rows);
        } finally {
            leave(connection, open, before);
        }
    }

    private boolean isTaken(Connection connection, Term term) throws SQLException, StaleTokenException {
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

    /** With autocommit, also on a connection that came without. */
    static OptionalLong withAutoCommit(Connection connection, Attempt attempt)
            throws SQLException, StaleTokenException {
        boolean before = connection.getAutoCommit();
        if (before) {
            return attempt.on(connection);
        }
        connection.setAutoCommit(true);
        try {
            return attempt.on(connection);
        } finally {
            leave(connection, false, false);
        }
    }

    /**
     * PostgreSQL has given up a transaction in which a statement failed, unless it went back to a savepoint. It answers the commit
     * with a rollback, and its driver does not tell. So it is asked first, where a statement has failed.
     */
    static void commit(Connection connection, String resource, boolean afterFailure) throws SQLException {
        if (afterFailure) {
            try {
                Sql.execute(connection, "SELECT 1");
            } catch (SQLException failure) {
                throw Sql.explained(
                        "nothing of the transaction fenced by " + resource
                                + " was written, because a statement in it had"
                                + " failed: do not go on after a failure, or go back to a savepoint first",
                        failure);
            }
        }
        try {
            connection.commit();
        } catch (SQLException failure) {
            throw CommitUnknownException.of(resource, failure);
        }
    }

    /** @return false if there may still be a transaction */
    static boolean rollBack(Connection connection) {
        return done("a fenced transaction could not be rolled back", () -> {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        });
    }

    static void abort(Connection connection) {
        done("a connection that cannot be rolled back cannot be ended either", () -> connection.abort(Runnable::run));
    }

    /** To where it came from. */
    static void giveBack(Connection connection) {
        done("a connection could not be given back", connection::close);
    }

    /**
     * Puts a connection back as it was. To be given autocommit commits whatever is open: so a transaction that may be open is ended
     * first. A connection on which that fails is ended itself, because nobody would notice that it does not commit.
     */
    static void leave(Connection connection, boolean open, boolean autoCommit) {
        boolean ended = !open || rollBack(connection);
        if (!ended
                || !done("a connection could not be put back as it was", () -> connection.setAutoCommit(autoCommit))) {
            abort(connection);
        }
    }

    private interface Step {
        void run() throws SQLException;
    }

    /** By now it is known what happened on the connection, and a failure here must not hide that. */
    private static boolean done(String otherwise, Step step) {
        try {
            step.run();
            return true;
        } catch (SQLException | RuntimeException gone) {
            LOG.log(Level.DEBUG, otherwise, gone);
            return false;
        }
    }

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
    static final class FencedUpdate {
        /** Where the row does not match, this is what cannot be read as a number: so the server says it in its message. */
        private static final String NOT_AT_THIS_TERM = "tenure: the fence is not at this term";

        private final String resource;
        private final FenceOptions options;
        /** Two statements, without a semicolon behind them. */
        private final String opening;
        /** Of the fence's table, in whichever quotation marks the server's language has. */
        private final Pattern mention;

        private FencedUpdate(FenceTable fences, String resource, FenceOptions options) {
            this.resource = resource;
            this.options = options;
            this.mention = Pattern.compile("(?<![\\w.])" + Pattern.quote(options.table()) + "(?![\\w.])");
            // Lengths, because a driver may part the text behind a text of unknown length. What is no number must not
            // be a
            // constant by itself: it would fail when the statement is planned.
            this.opening = "BEGIN; SELECT length(set_config('" + FenceDialect.setting(resource) + "', ?, true)),"
                    + " length(set_config('idle_in_transaction_session_timeout', ?, true)), CAST(coalesce((SELECT '1' FROM "
                    + fences.dialect().sharedQueue(options.table(), resource) + options.table()
                    + " WHERE resource = ? AND election = ? AND token = ? AND nonce = ? AND ('' = ? OR store IN ('', ?)) "
                    + fences.dialect().sharedLock() + "), '" + NOT_AT_THIS_TERM + "') AS INTEGER)";
        }

        /** Only with the driver that is known to send several statements with parameters at once. */
        static Optional<FencedUpdate> of(
                Connection connection, FenceTable fences, String resource, FenceOptions options) throws SQLException {
            return connection.getMetaData().getDriverName().equals("PostgreSQL JDBC Driver")
                    ? Optional.of(new FencedUpdate(fences, resource, options))
                    : Optional.empty();
        }

        /**
         * @param connection with autocommit, so that the driver begins no transaction of its own
         * @return how many rows the statement changed or returned; nothing if the fence is not at this term, and nothing was done
         * @throws CommitUnknownException if the database may have committed, but did not say so
         */
        OptionalLong execute(Connection connection, Term term, String sql, @Nullable Object[] parameters)
                throws SQLException {
            // The commit is on a line of its own: the statement may end in a comment.
            try (PreparedStatement all = connection.prepareStatement(opening + "; " + sql + "\n; COMMIT")) {
                int next = FenceDialect.POSTGRESQL.present(all, resource, term, options.idleAtMost());
                all.setString(next++, resource);
                all.setString(next++, term.election().encoded());
                all.setLong(next++, term.token().value());
                all.setString(next++, term.nonce().toString());
                all.setString(next++, options.storeId());
                all.setString(next++, options.storeId());
                Sql.bind(all, next, parameters);
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
                    || (SqlState.isMissingTable(failure)
                            && mention.matcher(message).find());
        }

        /** The transaction was begun by a statement, so it is one that ends it; or its connection ends, if that fails. */
        private static void rollBack(Connection connection, Throwable failure) {
            try {
                Sql.execute(connection, "ROLLBACK");
            } catch (SQLException | RuntimeException gone) {
                failure.addSuppressed(gone);
                FencedTransactions.abort(connection);
            }
        }

        /** The statement by itself, in a transaction that holds the fence. */
        static long alone(Connection connection, String sql, @Nullable Object[] parameters) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                Sql.bind(statement, 1, parameters);
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
}
