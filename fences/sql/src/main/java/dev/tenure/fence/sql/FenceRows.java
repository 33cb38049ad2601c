// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.fence.sql.FencedTransactions.FencedUpdate;
import dev.tenure.fence.sql.Sql.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
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
final class FenceRows {
    /** Each round is lost only to somebody who raised the fence in between. */
    private static final int ROUNDS_MAX = 50;

    private final String resource;
    private final FenceOptions options;
    private volatile @Nullable Known known;
    /** Asked once; and again after a trigger has missed a token. */
    private volatile @Nullable Boolean triggers;

    /**
     * What can be said once the database is known.
     *
     * @param update how one statement is a fenced transaction in one round trip, where that can be
     */
    private record Known(FenceTable table, Optional<FencedUpdate> update) {}

    FenceRows(String resource, FenceOptions options) {
        this.resource = resource;
        this.options = options;
    }

    /** Found out by the first caller; two that come at once find out the same. */
    private Known known(Connection connection) throws SQLException {
        Known found = known;
        if (found == null) {
            FenceTable table = new FenceTable(FenceDialect.of(connection), options.table());
            found = new Known(table, FencedUpdate.of(connection, table, resource, options));
            known = found;
        }
        return found;
    }

    /**
     * Raises the row to this term. With autocommit every step stands for itself, and afterwards the row is at this term. A
     * transaction of an older term that is still in the way when the time is up is ended, where that can be, and the raise waits
     * once more. In a transaction it is tried once, and has to be taken afterwards.
     */
    void raise(Connection connection, Term term) throws SQLException, StaleTokenException {
        FenceTable fences = known(connection).table;
        boolean ended = false;
        for (int round = 1; ; round++) {
            try {
                // A transaction may see the same old row again and again: one that takes the row then sees the newest.
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
                } else if (alone && SqlState.isTimeout(failure)) {
                    FenceTable.Blockers blockers = blockers(fences, connection, term);
                    if (ended || !blockers.end(options.raiseWithin().toMillis() / 2)) {
                        throw late(failure, term, blockers.toString());
                    }
                    ended = true;
                } else if (!alone || !SqlState.isConflict(failure) || round >= ROUNDS_MAX) {
                    throw explained(fences, failure, term);
                }
            }
        }
    }

    /** Of a raise whose time is up; a newer term may have come meanwhile, and is not a blocker but the end of this one. */
    private FenceTable.Blockers blockers(FenceTable fences, Connection connection, Term term)
            throws StaleTokenException {
        try {
            Optional<FenceTable.Row> row = fences.look(connection, resource);
            boolean unused = row.isPresent() && row.get().isAt(term, options.storeId());
            return fences.blockers(connection, resource);
        } catch (SQLException closed) {
            return new FenceTable.Blockers(connection, resource, List.of()); // by a pool, because of the timeout
        }
    }

    private boolean raiseOnce(FenceTable fences, Connection connection, Term term)
            throws SQLException, StaleTokenException {
        int waitSeconds = options.raiseSeconds();
        Optional<FenceTable.Row> row = fences.look(connection, resource);
        if (row.isEmpty()) {
            FenceTable.Row first = new FenceTable.Row(
                    resource,
                    term.election().encoded(),
                    options.storeId(),
                    term.token().value(),
                    term.nonce().toString());
            return fences.bind(connection, first, FenceTable.holder(term), waitSeconds);
        }
        return row.get().isAt(term, options.storeId())
                || fences.lift(connection, resource, term, options.storeId(), waitSeconds);
    }

    /**
     * Takes the row for a writer of this term, for the rest of the transaction.
     *
     * @return false if the fence is still below this term: it has to be raised first
     */
    boolean take(Connection connection, Term term) throws SQLException, StaleTokenException {
        FenceTable fences = known(connection).table;
        try {
            Boolean shown = triggers;
            if (shown == null) {
                shown = fences.dialect().hasTriggers(connection);
                triggers = shown;
            }
            Optional<FenceTable.Row> row = fences.take(connection, resource, term, options.idleAtMost(), shown);
            return row.isPresent() && row.get().isAt(term, options.storeId());
        } catch (SQLException failure) {
            throw explained(fences, failure, term);
        }
    }

    void refuseXa(Connection connection) throws SQLException {
        known(connection).table.dialect().refuseXa(connection);
    }

    Optional<FencedUpdate> update(Connection connection) throws SQLException {
        return known(connection).update;
    }

    /** A trigger was not shown a token: it must have been installed since. */
    void missed() {
        triggers = null;
    }

    private SQLException explained(FenceTable fences, SQLException failure, Term term) {
        if (SqlState.isMissingTable(failure)) {
            return Sql.explained(
                    "the table " + options.table() + " of the fence of " + resource + " is missing; create it with\n"
                            + fences.script(),
                    failure);
        }
        return SqlState.isTimeout(failure) ? late(failure, term, "") : failure;
    }

    private SQLException late(SQLException failure, Term term, String blockers) {
        return Sql.explained(
                resource + " could not be raised to token " + term.token() + " within "
                        + options.raiseWithin().toMillis() + " ms: a transaction of an older term holds its fence"
                        + (blockers.isEmpty() ? "" : ": " + blockers)
                        + ". PostgreSQL ends one whose process sleeps after idleAtMost ("
                        + options.idleAtMost().toMillis()
                        + " ms); on MariaDB set idle_transaction_timeout; else end its connection",
                failure);
    }
}
