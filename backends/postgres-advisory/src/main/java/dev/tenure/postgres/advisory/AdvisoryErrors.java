// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.jdbc.SqlErrors;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.StoreUrl;
import java.sql.SQLException;

/** What can go wrong with locks beyond what goes wrong with every database. No password comes through here. */
final class AdvisoryErrors extends SqlErrors {
    static final String SESSION_OVER = "this session is over";
    static final String CANCELLED = "57014";
    static final String LOCK_TIMEOUT = "55P03";
    static final String FORBIDDEN = "42501";
    private static final String OUT_OF_SHARED_MEMORY = "53200";
    private static final String MISSING_TABLE = "42P01";

    /** What the driver sends and a server understands. */
    private static final String REFUSED_BY_POOLERS = "unsupported startup parameter";

    private final ElectionTables tables;

    AdvisoryErrors(JdbcTarget target, ElectionTables tables) {
        super(
                target.dialect(),
                target.toString(),
                new Wording(
                        "the tables are missing",
                        "SELECT, INSERT and UPDATE on " + tables.epochs() + " and " + tables.store(),
                        tables.script(),
                        "a candidate needs three, and a fourth to look",
                        "in time (a connection is waited for up to "
                                + target.options().timeout().toMillis() + " ms, tenure.timeout; an answer for a TTL)"),
                target::redactor);
        this.tables = tables;
    }

    static boolean is(String state, SQLException failure) {
        return state.equals(failure.getSQLState());
    }

    /** A row without which the tables are as good as missing. */
    static SQLException missingEra() {
        return new SQLException("the one row that tells the era is missing", MISSING_TABLE);
    }

    @Override
    public boolean isWithoutEffect(SQLException failure) {
        // Memory for locks is asked for before anything is written, so without it nothing was.
        return super.isWithoutEffect(failure) || is(OUT_OF_SHARED_MEMORY, failure);
    }

    @Override
    protected BackendException of(SQLException failure, Effect effect) {
        if (String.valueOf(failure.getMessage()).contains(REFUSED_BY_POOLERS)) {
            return explained(failure, Effect.NONE, Kind.MISCONFIGURED, pooler());
        }
        return is(OUT_OF_SHARED_MEMORY, failure)
                ? explained(failure, effect, Kind.MISCONFIGURED, lockTableFull())
                : super.of(failure, effect);
    }

    static BackendException over() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, SESSION_OVER);
    }

    /** Two processes of the server at the end of one connection. */
    String shared(int told, int real) {
        return pooler() + " (the connection was announced as server process " + told + " and is served by " + real
                + ")";
    }

    private String pooler() {
        return "something between this process and " + place
                + " shares connections, as PgBouncer, pgcat and Odyssey do. An advisory lock would stay with a connection that"
                + " others get: name the server itself in the URL, or use postgresql:// (the row lease), which works through"
                + " poolers";
    }

    /** The one row that tells the store's id is gone, or tells another one. */
    String wiped() {
        return tables.store() + " at " + place + " does not tell the store any more in which this session was"
                + " opened: it was wiped, or another one was restored";
    }

    BackendException tooOld(int versionNumber) {
        return StoreUrl.refused(place + " is PostgreSQL " + versionNumber / 10_000
                + ", and only 14 and newer end a silent connection (idle_session_timeout), which this backend needs:"
                + " use postgresql:// (the row lease)");
    }

    /** @param other as it is encoded */
    static BackendException collision(ElectionName election, String other) {
        return StoreUrl.refused("the elections '" + election + "' and '" + ElectionName.decode(other)
                + "' would share one advisory lock, so that one of them could never be led: rename one of them");
    }

    BackendException tooManyLocks(int locksMax) {
        return StoreUrl.refused(
                "one session leads at most " + locksMax + " elections here, because " + lockTableFull());
    }

    private String lockTableFull() {
        return "the lock table of " + place + " is full: every led election is one lock, and there is room for about"
                + " max_locks_per_transaction * (max_connections + max_prepared_transactions) of them for all who use the"
                + " server; raise max_locks_per_transaction and restart the server, or use postgresql:// (the row lease)"
                + " for very many elections";
    }
}
