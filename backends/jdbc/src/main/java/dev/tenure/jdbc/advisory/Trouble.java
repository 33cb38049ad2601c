package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.Complaint;
import dev.tenure.jdbc.PostgresPlace;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.sql.SQLException;
import java.util.Optional;

/** Turns what the server says into a sentence that says what to do. No password comes through here. */
final class Trouble {
    static final String SESSION_OVER = "this session is over";

    private static final String OUT_OF_SHARED_MEMORY = "53200";
    /** What the driver sends and a server understands. */
    private static final String REFUSED_BY_POOLERS = "unsupported startup parameter";

    private static final int SAID_CHARS_MAX = 300;

    private final PostgresPlace place;
    private final Tables tables;

    Trouble(PostgresPlace place, Tables tables) {
        this.place = place;
        this.tables = tables;
    }

    /** A failure of something that changes nothing: connecting, or a read. */
    BackendException beforeAnyEffect(SQLException failure) {
        return of(failure, Effect.NONE);
    }

    /** A failure of something that changes the store. */
    BackendException maybeAfterEffect(SQLException failure) {
        return of(failure, isRefusal(failure) ? Effect.NONE : Effect.UNKNOWN);
    }

    /** Is the connection still worth something after this? */
    boolean isRefusal(SQLException failure) {
        // Memory for locks is asked for before anything is written, so without it nothing was.
        return place.isRefusal(failure) || isLockTableFull(failure);
    }

    private static boolean isLockTableFull(SQLException failure) {
        return OUT_OF_SHARED_MEMORY.equals(failure.getSQLState());
    }

    static BackendException over() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, SESSION_OVER);
    }

    BackendException pooler(int told, int real) {
        return refused(shared(told, real));
    }

    /** Two processes of the server at the end of one connection. */
    String shared(int told, int real) {
        return pooler() + " (the connection was announced as server process " + told + " and is served by " + real
                + ")";
    }

    /** The one row that tells the store's id is gone, or tells another one. */
    String wiped() {
        return tables.store() + " at " + place.shown() + " does not tell the store any more in which this session was"
                + " opened: it was wiped, or another one was restored";
    }

    private String pooler() {
        return "something between this process and " + place.shown()
                + " shares connections, as PgBouncer, pgcat and Odyssey do. An advisory lock would stay with a connection that"
                + " others get: name the server itself in the URL, or use postgresql:// (the row lease), which works through"
                + " poolers";
    }

    BackendException tooOld(int versionNumber) {
        return refused(place.shown() + " is PostgreSQL " + versionNumber / 10_000
                + ", and only 14 and newer end a silent connection (idle_session_timeout), which this backend needs:"
                + " use postgresql:// (the row lease)");
    }

    BackendException collision(ElectionName election, ElectionName other) {
        return refused("the elections '" + election + "' and '" + other
                + "' would share one advisory lock, so that one of them could never be led: rename one of them");
    }

    BackendException readOnly() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, sentence(Complaint.READ_ONLY));
    }

    private static BackendException refused(String sentence) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence);
    }

    private BackendException of(SQLException failure, Effect effect) {
        String said = place.withoutSecrets(
                onOneLine(Optional.ofNullable(failure.getMessage()).orElse("")));
        String shortened = said.length() <= SAID_CHARS_MAX ? said : said.substring(0, SAID_CHARS_MAX) + "…";
        Complaint complaint = place.complaint(failure);
        if (said.contains(REFUSED_BY_POOLERS)) {
            return refused(pooler() + " (it says: " + shortened + ")");
        }
        boolean lockTableFull = isLockTableFull(failure);
        String sentence = lockTableFull ? lockTableFull() : sentence(complaint);
        Kind kind = lockTableFull ? Kind.MISCONFIGURED : kind(complaint);
        return new BackendException(effect, kind, sentence + " (it says: " + shortened + ")");
    }

    /** As terminals and logs show it; a script is made to be copied from there. */
    private static String onOneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    BackendException tooManyLocks(int locksMax) {
        return refused("one session leads at most " + locksMax + " elections here, because " + lockTableFull());
    }

    private String lockTableFull() {
        return "the lock table of " + place.shown()
                + " is full: every led election is one lock, and there is room for about"
                + " max_locks_per_transaction * (max_connections + max_prepared_transactions) of them for all who use the"
                + " server; raise max_locks_per_transaction and restart the server, or use postgresql:// (the row lease)"
                + " for very many elections";
    }

    private static Kind kind(Complaint complaint) {
        return switch (complaint) {
            case CREDENTIALS,
                    NOT_ADMITTED,
                    UNTRUSTED,
                    MISSING_DATABASE,
                    MISSING_TABLE,
                    MISSING_PRIVILEGE,
                    REFUSED,
                    DUPLICATE -> Kind.MISCONFIGURED;
            // A replica may be promoted, and a failover may lead here before it is complete: waiting can help.
            case READ_ONLY, UNREACHABLE, SILENT, CROWDED, CONFLICT, OTHER -> Kind.UNREACHABLE;
        };
    }

    private String sentence(Complaint complaint) {
        String where = place.shown();
        return switch (complaint) {
            case UNREACHABLE ->
                where
                        + " cannot be reached, or has ended the connection: is the database up, and are host and port right?";
            case SILENT ->
                where
                        + " does not answer: it hangs, is overloaded, or packets are lost on the way (a connection is waited for up to "
                        + place.options().timeout().toMillis() + " ms, tenure.timeout; an answer for a TTL)";
            case CROWDED ->
                where + " has no connection left: a candidate needs three, and a fourth to look; raise max_connections";
            case CREDENTIALS ->
                where
                        + " refuses the user or the password: check user and password in the URL, or tenure.password.file";
            case NOT_ADMITTED ->
                where
                        + " does not let this user in from here: it has no rule for it (pg_hba.conf), or one that asks for"
                        + " TLS (sslmode) or a client certificate (sslcert, sslkey)";
            case UNTRUSTED ->
                where + " and this client do not agree on TLS: the server does not have it, or its certificate is not"
                        + " trusted (sslmode, sslrootcert) or is for another host";
            case MISSING_DATABASE -> where + " has no such database: create it, or correct the URL";
            case MISSING_TABLE ->
                "the tables are missing at " + where + ": create them, or leave out tenure.tables=expect: "
                        + onOneLine(tables.script());
            case MISSING_PRIVILEGE ->
                "the user has not enough privileges at " + where + ": grant SELECT, INSERT and UPDATE on "
                        + tables.epochs() + " and " + tables.store()
                        + ", and if they are missing let an administrator create them: "
                        + onOneLine(tables.script());
            case READ_ONLY -> where + " is read-only: a replica, or a server in recovery. Name the primary in the URL";
            case CONFLICT -> where + " gave way to another transaction on " + tables.epochs() + "; it is tried again";
            case DUPLICATE, REFUSED -> where + " refuses a statement: were the tables made or changed by hand?";
            case OTHER -> where + " failed";
        };
    }
}
