// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.Fence;
import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.fence.sql.FencedConnection.TransactionControlSql;
import dev.tenure.fence.sql.FencedTransactions.Attempt;
import dev.tenure.fence.sql.FencedTransactions.FencedUpdate;
import dev.tenure.fence.sql.FencedTransactions.NotTaken;
import dev.tenure.fence.sql.Sql.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A fence in the database that is written to: one row per resource, which remembers the newest term, and which every fenced
 * transaction holds from its comparison to its commit. PostgreSQL, MariaDB, MySQL and H2, under every isolation level. A raise
 * waits for the transactions that are open when it comes, and later ones wait behind it.
 *
 * <pre>{@code
 * FencedSql ledger = FencedSql.guarding(dataSource, "ledger");
 * tenure.elect("ledger/close-day").fencedBy(ledger).perform(leadership ->
 *         ledger.write(leadership, connection -> close(connection, today)));
 * }</pre>
 *
 * <p>Writers of one term run side by side (on H2 they take turns). A row belongs to the election, and where it was named to
 * the store, that raised it first. Safe for any thread; keeps no connection.
 *
 * <p>What is not promised: anything about writes that do not go through it. For those there are triggers, which
 * {@code tenure fence install} puts on a table; a fenced transaction satisfies them by itself.
 */
public final class FencedSql implements Fence {
    private static final int ATTEMPTS_MAX = 5;

    private final DataSource source;
    private final String resource;
    private final FenceOptions options;
    private final FenceRows gate;
    private final FencedTransactions transactions;
    /** A hint which saves a round trip, and no more: every write compares again. */
    private volatile @Nullable Term raised;

    private FencedSql(DataSource source, String resource, FenceOptions options) {
        this.source = source;
        this.resource = FenceOptions.checkResource(resource);
        this.options = options;
        this.gate = new FenceRows(resource, options);
        this.transactions = new FencedTransactions(resource, gate);
    }

    /**
     * @param source of the database that is written to
     * @param resource what is guarded, such as {@code ledger}: one fence, for any number of tables
     */
    public static FencedSql guarding(DataSource source, String resource) {
        return new FencedSql(source, resource, FenceOptions.standard());
    }

    /** Where the rows of fences are; {@code tenure_fence} unless told. Lower case, with a schema or without. */
    public FencedSql table(String name) {
        return new FencedSql(source, resource, options.withTable(name));
    }

    /** A missing table is an error that shows the script, and is not made. */
    public FencedSql expectingTable() {
        return new FencedSql(source, resource, options.expectingTable());
    }

    /**
     * Binds the fence to the store that elects, beside the election: {@code tenure.era()} tells its id. Without it, a second
     * store with an election of the same name is not told apart by name, only by its tokens.
     */
    public FencedSql electedIn(String storeId) {
        return new FencedSql(source, resource, options.withStore(storeId));
    }

    /**
     * How long a fenced transaction may do nothing between two statements, 5 s unless told; PostgreSQL then ends its
     * connection. A leader that sleeps inside a transaction would otherwise keep its successor from raising the fence.
     */
    public FencedSql idleAtMost(Duration limit) {
        return new FencedSql(source, resource, options.withIdleAtMost(limit));
    }

    /**
     * How long a raise waits for open transactions of older terms, 10 s unless told. PostgreSQL then ends their connections, if
     * this user may do that, and the raise waits once more for as long at most. Otherwise it fails and names them.
     */
    public FencedSql raiseWithin(Duration limit) {
        return new FencedSql(source, resource, options.withRaiseWithin(limit));
    }

    /**
     * Waits until transactions of older terms that have taken the fence have ended. What they committed is visible to reads that
     * begin afterwards.
     */
    @Override
    public void raise(Term term) throws SQLException, StaleTokenException {
        var unused = onConnection(connection -> FencedTransactions.withAutoCommit(connection, alone -> {
            gate.raise(alone, term);
            raised = term;
            return OptionalLong.empty();
        }));
    }

    private OptionalLong onConnection(Attempt attempt) throws SQLException, StaleTokenException {
        Connection connection = source.getConnection();
        try {
            return attempt.on(connection);
        } finally {
            FencedTransactions.giveBack(connection);
        }
    }

    /** What is done for a term, and how many rows that were. */
    private interface TermWork {
        long run(Term term) throws SQLException, StaleTokenException;
    }

    /** A refusal ends the term of this leadership. */
    private static long leading(Leadership leadership, TermWork work) throws SQLException, StaleTokenException {
        try {
            return work.run(leadership.term());
        } catch (StaleTokenException stale) {
            leadership.fenced(stale.seen());
            throw stale;
        }
    }

    /**
     * Does the work in one transaction, which is committed only if no newer term has been seen. A refusal rolls back, ends
     * the term of this leadership as fenced, and carries both tokens.
     *
     * @throws CommitUnknownException if the database did not say whether it has committed
     */
    public void write(Leadership leadership, SqlWork work) throws SQLException, StaleTokenException {
        long unused = leading(leadership, term -> written(term, work));
    }

    /** The same for a bare term: nobody is told of a refusal but the caller. */
    public void write(Term term, SqlWork work) throws SQLException, StaleTokenException {
        long unused = written(term, work);
    }

    private long written(Term term, SqlWork work) throws SQLException, StaleTokenException {
        return transact(
                term,
                connection -> transactions.run(connection, term, working -> {
                    work.run(working);
                    return 0;
                }));
    }

    String resource() {
        return resource;
    }

    /** Raises the fence, unless this object has done so for this term. */
    void ready(Term term) throws SQLException, StaleTokenException {
        if (!term.equals(raised)) {
            raise(term);
        }
    }

    /**
     * The same for one statement, which is a transaction of its own: on PostgreSQL in one round trip, with the comparison
     * before it and the commit behind it.
     *
     * <pre>{@code ledger.update(leadership, "INSERT INTO book (line) VALUES (?)", line);}</pre>
     *
     * @param sql one statement, with a question mark for each parameter
     * @param parameters as {@link java.sql.PreparedStatement#setObject(int, Object)} takes them
     * @return how many rows it changed, or returned
     * @throws CommitUnknownException if the database did not say whether it has committed
     */
    public long update(Leadership leadership, String sql, @Nullable Object... parameters)
            throws SQLException, StaleTokenException {
        return leading(leadership, term -> update(term, sql, parameters));
    }

    /** The same for a bare term: nobody is told of a refusal but the caller. */
    public long update(Term term, String sql, @Nullable Object... parameters) throws SQLException, StaleTokenException {
        TransactionControlSql.OF_WORK.refuse(sql);
        return transact(term, connection -> {
            Optional<FencedUpdate> together = gate.update(connection);
            return together.isPresent()
                    ? FencedTransactions.withAutoCommit(
                            connection, alone -> together.get().execute(alone, term, sql, parameters))
                    : transactions.run(connection, term, working -> FencedUpdate.alone(working, sql, parameters));
        });
    }

    private long transact(Term term, Attempt transaction) throws SQLException, StaleTokenException {
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            ready(term);
            try {
                OptionalLong done = onConnection(connection -> once(connection, term, transaction));
                if (done.isPresent()) {
                    return done.getAsLong();
                }
                raised = null;
            } catch (NotTaken conflict) {
                if (attempt == ATTEMPTS_MAX) {
                    throw conflict.failure;
                }
            }
        }
        throw new SQLException("the fence of " + resource + " went back below token " + term.token()
                + " again and again: is its row deleted or restored?");
    }

    private OptionalLong once(Connection connection, Term term, Attempt transaction)
            throws SQLException, StaleTokenException {
        try {
            return transaction.on(connection);
        } catch (SQLException failure) {
            if (TriggerRejection.isWithoutToken(failure)) {
                gate.missed();
            }
            if (SqlState.isConflict(failure)) {
                raised = null; // with a raise, perhaps: the next write looks
            }
            throw TriggerRejection.translated(failure, resource, term);
        }
    }

    /**
     * Fences a transaction of the user's own (Spring's, jOOQ's): compares, and holds the fence until that transaction ends.
     * To be called first in it. Raises the fence within the transaction, if {@code fencedBy} has not done so before. A
     * refusal rolls the transaction back.
     *
     * <p>The commit is the user's: one that fails for another reason than a conflict or a constraint has an unknown outcome.
     *
     * @param connection of this database, in a transaction; not an XA transaction on MariaDB, which is refused
     */
    public void enter(Connection connection, Leadership leadership) throws SQLException, StaleTokenException {
        long unused = leading(leadership, term -> {
            enter(connection, term);
            return 0;
        });
    }

    /** The same for a bare term: nobody is told of a refusal but the caller. */
    public void enter(Connection connection, Term term) throws SQLException, StaleTokenException {
        if (connection.getAutoCommit()) {
            throw new SQLException(
                    "only a transaction can be fenced by " + resource + ", and this connection commits each statement"
                            + " by itself: call it inside a transaction",
                    "25000");
        }
        gate.refuseXa(connection);
        try {
            boolean taken = term.equals(raised) && gate.take(connection, term);
            for (int attempt = 1; !taken && attempt <= 2; attempt++) {
                gate.raise(connection, term);
                taken = gate.take(connection, term);
            }
            if (!taken) {
                throw new SQLException("the fence of " + resource + " could not be taken for token " + term.token());
            }
        } catch (StaleTokenException stale) {
            FencedTransactions.rollBack(connection);
            throw stale;
        }
    }

    /**
     * The same database for this leadership alone, where each transaction enters the fence before its first statement. For
     * libraries that want a {@code DataSource}. A refusal is a {@link StaleTokenSqlException}; a failed commit, if its
     * outcome is unknown, a {@link CommitUnknownException}.
     */
    public DataSource dataSource(Leadership leadership) {
        return FencedConnection.source(source, this, leadership);
    }
}
