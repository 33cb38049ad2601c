package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.jdbc.SqlErrorKind;
import dev.tenure.jdbc.SqlErrors;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.StoreUrl;
import java.sql.SQLException;

/** What can go wrong with locks beyond what goes wrong with every database. No password comes through here. */
final class AdvisoryErrors {
    static final String SESSION_OVER = "this session is over";

    /** What the driver sends and a server understands. */
    private static final String REFUSED_BY_POOLERS = "unsupported startup parameter";

    private final String place;
    private final ElectionTables tables;
    private final SqlErrors usual;

    AdvisoryErrors(JdbcTarget target, ElectionTables tables) {
        this.place = target.toString();
        this.tables = tables;
        SqlErrors.Wording wording = new SqlErrors.Wording(
                "the tables are missing",
                "SELECT, INSERT and UPDATE on " + tables.epochs() + " and " + tables.store(),
                tables.script(),
                "a candidate needs three, and a fourth to look",
                "in time (a connection is waited for up to "
                        + target.options().timeout().toMillis() + " ms, tenure.timeout; an answer for a TTL)");
        this.usual = new SqlErrors(target.dialect(), place, wording, target::redactor);
    }

    static boolean isCancelled(SQLException failure) {
        return "57014".equals(failure.getSQLState());
    }

    static boolean isLockTimeout(SQLException failure) {
        return "55P03".equals(failure.getSQLState());
    }

    static boolean isForbidden(SQLException failure) {
        return "42501".equals(failure.getSQLState());
    }

    /** A row without which the tables are as good as missing. */
    static SQLException missingEra() {
        return new SQLException("the one row that tells the era is missing", "42P01");
    }

    private static boolean isLockTableFull(SQLException failure) {
        return "53200".equals(failure.getSQLState());
    }

    SqlErrorKind kind(SQLException failure) {
        return usual.kind(failure);
    }

    /** Is it certain that nothing was changed, and the connection still worth something after this? */
    boolean isRefusal(SQLException failure) {
        // Memory for locks is asked for before anything is written, so without it nothing was.
        return kind(failure).isWithoutEffect() || isLockTableFull(failure);
    }

    /** A failure of something that changes nothing: connecting, or a read. */
    BackendException beforeAnyEffect(SQLException failure) {
        return of(failure, Effect.NONE);
    }

    /** A failure of something that changes the store. */
    BackendException maybeAfterEffect(SQLException failure) {
        return of(failure, isRefusal(failure) ? Effect.NONE : Effect.UNKNOWN);
    }

    private BackendException of(SQLException failure, Effect effect) {
        if (String.valueOf(failure.getMessage()).contains(REFUSED_BY_POOLERS)) {
            return usual.explained(failure, Effect.NONE, Kind.MISCONFIGURED, pooler());
        }
        if (isLockTableFull(failure)) {
            return usual.explained(failure, effect, Kind.MISCONFIGURED, lockTableFull());
        }
        return effect == Effect.NONE ? usual.beforeAnyEffect(failure) : usual.maybeAfterEffect(failure);
    }

    static BackendException over() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, SESSION_OVER);
    }

    BackendException foreignLayout(int found, int known) {
        return usual.foreignLayout(tables.store(), Integer.toString(found), known);
    }

    BackendException readOnly() {
        return usual.readOnly();
    }

    BackendException pooler(int told, int real) {
        return StoreUrl.refused(shared(told, real));
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

    static BackendException collision(ElectionName election, ElectionName other) {
        return StoreUrl.refused("the elections '" + election + "' and '" + other
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
