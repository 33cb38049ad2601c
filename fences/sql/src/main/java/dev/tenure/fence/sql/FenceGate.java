package dev.tenure.fence.sql;

import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.fence.sql.FenceRow.Verdict;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One resource's fence row, and what may be done with it on a connection.
 *
 * <p>Why this is safe: the row's token never goes back, because the only statement that changes it asks for a lower one in
 * its WHERE. A writer holds the row, in a mode that keeps out that statement, from its comparison to its commit. So either it
 * commits before the raise returns, and the new leader sees what it wrote, or it finds the row raised and is refused. The look
 * without a lock only decides which statement comes next.
 */
final class FenceGate {
    /** Each round is lost only to somebody who raised the fence in between. */
    private static final int ROUNDS_MAX = 50;

    private static final Logger LOG = System.getLogger("dev.tenure");

    private final String resource;
    private final FenceOptions options;
    private volatile @Nullable Known known;
    /** Of the term that wrote last; there is seldom another. */
    private volatile @Nullable Badge badge;
    /** What was last said to stand against comparing at the commit. */
    private volatile String told = "";

    /** What can be said once the database is known. */
    private record Known(FenceTable table, Entrance entrance, Optional<Texts> texts) {}

    /** What travels in one text with something else, where the driver is known to send such texts at once. */
    private record Texts(Opening opening, FencedUpdate update, FencedUpdate bareUpdate) {}

    FenceGate(String resource, FenceOptions options) {
        this.resource = resource;
        this.options = options;
    }

    /** Found out by whoever comes first; two who come at once find out the same. */
    private Known known(Connection connection) throws SQLException {
        Known found = known;
        if (found == null) {
            Dialect dialect = Dialect.of(connection);
            found = new Known(
                    new FenceTable(dialect, options.table()),
                    new Entrance(dialect, options.table(), resource, options.idleAtMost()),
                    Opening.isPossible(connection) ? Optional.of(texts(dialect)) : Optional.empty());
            known = found;
        }
        return found;
    }

    private Texts texts(Dialect dialect) {
        Comparison comparison = new Comparison(dialect, options.table(), resource, options.storeId());
        Opening opening = Opening.showing(comparison, resource, options);
        return new Texts(
                opening,
                new FencedUpdate(opening, comparison, resource),
                new FencedUpdate(Opening.bare(comparison), comparison, resource));
    }

    /** How this term is spelt. */
    Badge badge(Term term) {
        Badge last = badge;
        if (last == null || !last.term().equals(term)) {
            last = Badge.of(term);
            badge = last;
        }
        return last;
    }

    /**
     * Raises the row to this term. With autocommit every step stands for itself, and afterwards the row is at this term. In a
     * transaction it is tried once, and has to be taken afterwards.
     */
    void raise(Connection connection, Term term) throws SQLException, StaleTokenException {
        FenceTable fences = known(connection).table;
        for (int round = 1; ; round++) {
            try {
                // A transaction may see the same old row again and again: whoever takes the row then sees the newest.
                if (raiseOnce(fences, connection, term) || !connection.getAutoCommit()) {
                    return;
                }
                if (round >= ROUNDS_MAX) {
                    throw new SQLException(resource + " could not be raised to token " + term.token()
                            + ": others changed its fence " + round + " times in between");
                }
            } catch (SQLException failure) {
                boolean alone = connection.getAutoCommit();
                if (alone && options.createsTable() && SqlState.isMissingTable(failure) && round == 1) {
                    fences.create(connection);
                } else if (!alone || !SqlState.isConflict(failure) || round >= ROUNDS_MAX) {
                    throw explained(fences, failure, term);
                }
            }
        }
    }

    private boolean raiseOnce(FenceTable fences, Connection connection, Term term)
            throws SQLException, StaleTokenException {
        int waitSeconds = options.raiseSeconds();
        Optional<FenceRow> row = fences.look(connection, resource);
        if (row.isEmpty()) {
            return fences.bind(connection, resource, term, options.storeId(), waitSeconds);
        }
        return row.get().judge(term, options.storeId()) == Verdict.CURRENT
                || fences.lift(connection, resource, term, options.storeId(), waitSeconds);
    }

    /**
     * Begins a transaction and takes the row for it. The connection is then without autocommit.
     *
     * @return false if the fence is not at this term: it has to be raised first, and there is no transaction
     */
    boolean open(Connection connection, Term term) throws SQLException, StaleTokenException {
        Known found = known(connection);
        // Without autocommit there may be a transaction already, and a read-only one is begun as such by the driver.
        boolean alone = connection.getAutoCommit() && !connection.isReadOnly();
        if (found.texts.isPresent() && alone) {
            try {
                return found.texts.get().opening.open(connection, badge(term));
            } catch (SQLException failure) {
                throw explained(found.table, failure, term);
            }
        }
        connection.setAutoCommit(false);
        boolean taken = false;
        try {
            taken = take(connection, term);
            return taken;
        } finally {
            if (!taken) {
                FencedTransactions.rollBack(connection);
            }
        }
    }

    /**
     * Takes the row for a writer of this term, for the rest of the transaction.
     *
     * @return false if the fence is still below this term: it has to be raised first
     */
    boolean take(Connection connection, Term term) throws SQLException, StaleTokenException {
        Known found = known(connection);
        try {
            Optional<FenceRow> row = found.entrance.take(connection, badge(term));
            return row.isPresent() && row.get().judge(term, options.storeId()) == Verdict.CURRENT;
        } catch (SQLException failure) {
            throw explained(found.table, failure, term);
        }
    }

    /**
     * How one statement is a fenced transaction in one round trip, where that can be.
     *
     * @param bare where nobody has to be shown the token, and nothing has to be limited: see {@link #closing}
     */
    Optional<FencedUpdate> update(Connection connection, boolean bare) throws SQLException {
        return known(connection).texts.map(bare ? Texts::bareUpdate : Texts::update);
    }

    /**
     * How transactions on connections like this one compare at their commit, if that was asked for and can be. What was asked for
     * and cannot be is said once in the log, with the reason.
     *
     * @param connection with autocommit; the fence's table exists
     */
    Optional<Closing> closing(Connection connection) throws SQLException {
        if (!options.comparesAtCommit()) {
            return Optional.empty();
        }
        if (!Opening.isPossible(connection)) {
            tell("only PostgreSQL's own driver sends comparison and commit together");
            return Optional.empty();
        }
        SessionFacts facts = SessionFacts.of(connection, resource, options.table());
        String obstacle = facts.obstacle(options.idleAtMost());
        tell(obstacle);
        return obstacle.isEmpty()
                ? Optional.of(new Closing(
                        new Comparison(Dialect.POSTGRESQL, facts.fenceTable(), resource, options.storeId()), resource))
                : Optional.empty();
    }

    private void tell(String obstacle) {
        if (!obstacle.isEmpty() && !obstacle.equals(told)) {
            LOG.log(
                    Level.WARNING,
                    "the fence of {0} compares before the work and not at its commit: {1}",
                    resource,
                    obstacle);
        }
        told = obstacle;
    }

    /** A trigger was not shown a token: it must have been installed since. */
    void missed() {
        Known found = known;
        if (found != null) {
            found.entrance.askAgainForTriggers();
        }
    }

    private SQLException explained(FenceTable fences, SQLException failure, Term term) {
        if (SqlState.isMissingTable(failure)) {
            return new SQLException(
                    "the table " + options.table() + " of the fence of " + resource + " is missing; create it with\n"
                            + fences.script(),
                    SqlState.of(failure),
                    failure);
        }
        if (SqlState.isTimeout(failure)) {
            return new SQLException(
                    resource + " could not be raised to token " + term.token() + " within "
                            + options.raiseWithin().toMillis() + " ms: a transaction of an older term holds its fence. "
                            + "PostgreSQL ends one whose process sleeps after idleAtMost ("
                            + options.idleAtMost().toMillis()
                            + " ms); on MariaDB set idle_transaction_timeout; else end its connection",
                    SqlState.of(failure),
                    failure.getErrorCode(),
                    failure);
        }
        return failure;
    }
}
