package dev.tenure.jdbc.advisory;

import java.sql.SQLException;

/**
 * What is said to the server. Each is one statement and one round trip.
 *
 * <p>A claim takes the lock and writes the row in one statement, in this order. Its snapshot is older than the lock, but the
 * row that it writes is not: under READ COMMITTED {@code ON CONFLICT DO UPDATE} takes the newest version of the row, and
 * waits for a predecessor whose release has not been committed yet. So the token is above that of every earlier holder.
 *
 * <p>A claim does not wait for the disk if its token is the clock's and no standby has to have it: a crash that loses the row
 * loses the lock as well, and the clock has gone on when the next one is granted.
 */
final class Statements {
    /** A server process, and when it began. */
    static final String IDENTITY = "pg_backend_pid(), (SELECT (EXTRACT(EPOCH FROM backend_start) * 1000000)::bigint"
            + " FROM pg_stat_get_activity(pg_backend_pid()))";

    /** The advisory locks of this database that somebody has for himself: key and server process. */
    private static final String LOCKS = "SELECT (classid::bigint << 32) | objid::bigint AS key, pid FROM pg_locks"
            + " WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND mode = 'ExclusiveLock'"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    /** The keys of those that this server process has. */
    private static final String MINE = "SELECT key FROM (" + LOCKS + ") l WHERE pid = pg_backend_pid()";

    private static final String ALIVE = "WITH alive AS MATERIALIZED (" + LOCKS + ") ";
    private static final String IS_ALIVE = "EXISTS (SELECT FROM alive a WHERE a.key = e.line) AS alive";
    private static final String BY_CLOCK =
            "((s.era::bigint << 48) | (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint)";
    private static final long FLOOR_AHEAD_MILLIS_MAX = 86_400_000;

    private final String epochs;
    private final String store;
    /** An expression. */
    private final String channel;

    /** Made once: the driver finds what it has prepared by the whole text. */
    private final String claimOne;

    private final String awaitTurn;
    private final String releaseOne;

    Statements(Tables tables) {
        this.epochs = tables.epochs();
        this.store = tables.store();
        this.channel = tables.channel().expression();
        this.claimOne = one();
        this.awaitTurn = turn();
        this.releaseOne = vacate();
    }

    String claimOne() {
        return claimOne;
    }

    String awaitTurn() {
        return awaitTurn;
    }

    /** Parameters: name, session. Tells in its second column, which is null if not, whether it was announced. */
    String releaseOne() {
        return releaseOne;
    }

    static boolean isCancelled(SQLException failure) {
        return "57014".equals(failure.getSQLState());
    }

    static boolean isLockTimeout(SQLException failure) {
        return "55P03".equals(failure.getSQLState());
    }

    /**
     * Of many elections at once; who is not first gets none. Parameters: session, line, TTL in ms; then arrays with one
     * element for each election: name, lock, does this line have the lock already, both halves of the nonce, floor, holder,
     * card.
     */
    String claim() {
        return "WITH me AS (SELECT ?::text AS session, ?::bigint AS line, ?::bigint AS ttl),"
                + " asked AS (SELECT * FROM unnest(?::text[], ?::bigint[], ?::boolean[], ?::bigint[], ?::bigint[],"
                + " ?::bigint[], ?::text[], ?::text[])"
                + " AS q(election, lock_key, mine, nonce_high, nonce_low, floor, holder, card)),"
                + " tried AS MATERIALIZED (SELECT a.*, me.*, CASE WHEN a.mine THEN true"
                + " ELSE pg_try_advisory_lock(a.lock_key) END AS got FROM asked a, me),"
                + written()
                + ", alive AS MATERIALIZED (SELECT * FROM (" + LOCKS
                + ") l WHERE EXISTS (SELECT FROM tried WHERE NOT got)), "
                + " hasty AS (SELECT set_config('synchronous_commit', 'off', true)"
                + " WHERE current_setting('synchronous_standby_names') = ''"
                + " AND (SELECT bool_and(w.token <= " + BY_CLOCK + ") FROM written w, " + store + " s))"
                + " SELECT t.election AS asked, t.got, w.token AS new_token, w.takeover, w.former_ttl_millis, "
                + Epoch.COLUMNS + ", " + IS_ALIVE + ", other.election AS collides, (SELECT count(*) FROM hasty)"
                + " FROM tried t LEFT JOIN written w ON w.election = t.election"
                + " LEFT JOIN " + epochs + " e ON e.election = t.election AND NOT t.got"
                + " LEFT JOIN " + epochs + " other ON other.lock_key = t.lock_key AND other.election <> t.election";
    }

    /** The row of every election whose lock was got. */
    private String written() {
        return " written AS (INSERT INTO " + epochs + " AS e (election, lock_key, token, nonce_high, nonce_low,"
                + " session, line, holder, card, ttl_millis, since_millis, takeover, former_ttl_millis)"
                + " SELECT t.election, t.lock_key, greatest(" + BY_CLOCK + ", least(t.floor, " + BY_CLOCK + " + "
                + FLOOR_AHEAD_MILLIS_MAX + ") + 1), t.nonce_high, t.nonce_low, t.session, t.line, t.holder, t.card,"
                + " t.ttl, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint, false, 0"
                + " FROM tried t, " + store + " s WHERE t.got AND s.id = 1"
                + " ON CONFLICT (election) DO UPDATE SET lock_key = excluded.lock_key,"
                + " token = greatest(e.token + 1, excluded.token), nonce_high = excluded.nonce_high,"
                + " nonce_low = excluded.nonce_low, session = excluded.session, line = excluded.line,"
                + " holder = excluded.holder, card = excluded.card, ttl_millis = excluded.ttl_millis,"
                + " since_millis = excluded.since_millis, request_verb = NULL, request_token = NULL, request_by = NULL,"
                + " takeover = e.session <> '' AND e.session <> excluded.session, former_ttl_millis = e.ttl_millis"
                + " RETURNING e.election, e.token, e.takeover, e.former_ttl_millis)";
    }

    /**
     * Of one election; who is not first does not get it. A handover consists of this or of {@link #awaitTurn}: their
     * parameters are no arrays, for which the server would plan anew each time, and that takes longer than the claim.
     */
    private String one() {
        return tried("pg_try_advisory_lock(a.lock_key)")
                + " SELECT t.got, w.token AS new_token, w.takeover, w.former_ttl_millis, " + hasty() + ", "
                + Epoch.COLUMNS
                + ", NOT t.got AND EXISTS (SELECT FROM (" + LOCKS + ") l WHERE l.key = e.line) AS alive,"
                + " other.election AS collides" + outcome()
                + " LEFT JOIN " + epochs + " e ON e.election = t.election AND NOT t.got"
                + " LEFT JOIN " + epochs + " other ON other.lock_key = t.lock_key AND other.election <> t.election"
                + " AND NOT t.got";
    }

    /** Of one election; waits until it is this one's turn. One more parameter: how long the line waits for locks then. */
    private String turn() {
        return tried("(pg_advisory_lock(a.lock_key)::text = '')")
                + " SELECT t.got, w.token AS new_token, w.takeover, w.former_ttl_millis, " + hasty()
                + ", set_config('lock_timeout', ?, false)" + outcome();
    }

    /**
     * Parameters: session, line, TTL in ms, name, lock, does this line have the lock already, both halves of the nonce, floor,
     * holder, card.
     */
    private String tried(String lock) {
        return "WITH tried AS MATERIALIZED (SELECT a.*, CASE WHEN a.mine THEN true ELSE " + lock + " END AS got FROM"
                + " (SELECT ?::text AS session, ?::bigint AS line, ?::bigint AS ttl, ?::text AS election,"
                + " ?::bigint AS lock_key, ?::boolean AS mine, ?::bigint AS nonce_high, ?::bigint AS nonce_low,"
                + " ?::bigint AS floor, ?::text AS holder, ?::text AS card) a)," + written();
    }

    private static String hasty() {
        return "CASE WHEN w.token <= " + BY_CLOCK + " AND current_setting('synchronous_standby_names') = ''"
                + " THEN set_config('synchronous_commit', 'off', true) END";
    }

    private String outcome() {
        return " FROM tried t LEFT JOIN written w ON true LEFT JOIN " + store + " s ON s.id = 1";
    }

    /**
     * Parameters: session, names. A commit that is lost in a crash makes the next holder believe that this one did not
     * release: that costs nothing, and so nobody waits for the disk.
     */
    String release() {
        return "WITH hasty AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),"
                + " vacated AS (UPDATE " + epochs + " SET session = '' FROM hasty WHERE session = ?"
                + " AND election = ANY (?::text[]) RETURNING election, lock_key)"
                + " SELECT election, pg_advisory_unlock(lock_key) FROM vacated";
    }

    /**
     * As {@link #release}. Who waits in the queue for the lock has it as soon as it is free, before this statement goes on: an
     * announcement would only get into its way. If the lock can be had, nobody waited there, and it is announced.
     */
    private String vacate() {
        return "UPDATE " + epochs + " SET session = '' WHERE election = ? AND session = ?"
                + " RETURNING set_config('synchronous_commit', 'off', true),"
                + " CASE WHEN pg_advisory_unlock(lock_key) THEN CASE WHEN pg_try_advisory_lock(lock_key)"
                + " THEN CASE WHEN pg_advisory_unlock(lock_key)"
                + " THEN pg_notify(" + channel + ", 'r ' || election)::text END END END";
    }

    /**
     * Announced by a statement of its own, after the lock has changed hands: commits that notify queue up behind each other,
     * and wake everybody who listens. Parameters: what is in front of the name, names.
     */
    String announce() {
        return "SELECT count(pg_notify(" + channel + ", ? || name)::text) FROM unnest(?::text[]) AS name";
    }

    /** All of a session. Parameter: session. */
    String leave() {
        return "WITH vacated AS (UPDATE " + epochs + " SET session = '' WHERE session = ? RETURNING election)"
                + " SELECT count(pg_notify(" + channel + ", 'r ' || election)::text) FROM vacated";
    }

    /** Parameters: the server process that waits for this session, store id, session, line. */
    String heartbeat() {
        return "WITH held AS MATERIALIZED (SELECT (classid::bigint << 32) | objid::bigint AS key, pid, granted, mode FROM pg_locks"
                + " WHERE locktype = 'advisory' AND objsubid = 1)"
                + " SELECT " + IDENTITY + " AS start,"
                + " (SELECT count(*) FROM held WHERE pid = pg_backend_pid() AND granted AND mode = 'ExclusiveLock')"
                + " AS locks,"
                + " EXISTS (SELECT FROM held WHERE pid = ? AND NOT granted) AS waits,"
                + " r.terms, r.mark, r.requests, (SELECT era FROM " + store + " WHERE store_id = ?) AS era"
                + " FROM (SELECT count(*) AS terms, bit_xor(token # nonce_high # nonce_low) AS mark,"
                + " count(request_verb) AS requests FROM " + epochs
                + " WHERE session = ? AND line = ?) r";
    }

    /** Which of its terms a line still has, by row and by lock. Parameters: session, line. */
    String census() {
        return "SELECT e.election, e.token, e.lock_key, e.nonce_high, e.nonce_low FROM " + epochs + " e"
                + " WHERE e.session = ? AND e.line = ? AND e.lock_key IN (" + MINE + ")";
    }

    /** Parameters: name, session, token, both halves of the nonce. */
    String holds() {
        return "SELECT 1 FROM " + epochs + " e WHERE e.election = ? AND e.session = ? AND e.token = ?"
                + " AND e.nonce_high = ? AND e.nonce_low = ? AND e.lock_key IN (" + MINE + ")";
    }

    /** Locks of this server process that should not be: all but these. Parameter: locks. */
    static String tidy() {
        return "SELECT pg_advisory_unlock(key) FROM (" + MINE + ") m WHERE key <> ALL (?::bigint[])";
    }

    /** Which other election has this lock. Parameters: lock, name. */
    String owner() {
        return "SELECT election FROM " + epochs + " WHERE lock_key = ? AND election <> ?";
    }

    /**
     * Who has one of these locks; with the holder of the election, if it leads that. Not one whose row is written, and only
     * waits for a standby. A clock that stands still shows no life, so then nobody counts as idle. Parameter: locks.
     */
    String holders() {
        return "WITH held AS MATERIALIZED (SELECT (classid::bigint << 32) | objid::bigint AS key, pid FROM pg_locks"
                + " WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
                + " SELECT h.key, h.pid, a.backend_start, a.application_name, a.usename, a.client_addr,"
                + " e.holder, e.ttl_millis, a.pid IS NULL OR a.state_change IS NOT NULL AS visible,"
                + " a.state LIKE 'idle%' AND a.state_change <> clock_timestamp() AS idle, "
                + micros("a.backend_start") + " AS began, " + micros("a.state_change") + " AS spoke FROM held h"
                + " LEFT JOIN pg_stat_activity a ON a.pid = h.pid LEFT JOIN " + epochs + " e ON e.lock_key = h.key"
                + " AND e.session <> '' AND EXISTS (SELECT FROM held own WHERE own.key = e.line AND own.pid = h.pid)"
                + " WHERE h.key = ANY (?::bigint[]) AND a.wait_event IS DISTINCT FROM 'SyncRep'";
    }

    /** Ends a server process that is still as it was. Parameters: its number, when it began, its last sign of life. */
    static String endSilent() {
        return "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid = ? AND "
                + micros("a.backend_start") + " = ? AND " + micros("a.state_change") + " = ? AND a.state LIKE 'idle%'";
    }

    private static String micros(String time) {
        return "(EXTRACT(EPOCH FROM " + time + ") * 1000000)::bigint";
    }

    /** Parameter: name. */
    String read() {
        return ALIVE + "SELECT " + Epoch.COLUMNS + ", " + IS_ALIVE + " FROM " + epochs + " e WHERE e.election = ?";
    }

    String list() {
        return ALIVE + "SELECT " + Epoch.COLUMNS + ", " + IS_ALIVE + " FROM " + epochs + " e";
    }

    /** Parameters: verb, token, by whom, name. */
    String request() {
        return "WITH asked AS (UPDATE " + epochs + " SET request_verb = ?, request_token = ?, request_by = ?"
                + " WHERE election = ? RETURNING election)"
                + " SELECT pg_notify(" + channel + ", 'o ' || election)::text FROM asked";
    }

    /** Parameters: name, verb, token, by whom. */
    String clear() {
        return "UPDATE " + epochs + " SET request_verb = NULL, request_token = NULL, request_by = NULL"
                + " WHERE election = ? AND request_verb = ? AND request_token = ? AND request_by = ?";
    }

    /** Requests for what a session holds. Parameter: session. */
    String requests() {
        return "SELECT election, request_verb, request_token, request_by FROM " + epochs
                + " WHERE session = ? AND request_verb IS NOT NULL";
    }

    /** Parameter: era. */
    String raiseEra() {
        return "WITH raised AS (UPDATE " + store + " SET era = greatest(era, ?) RETURNING store_id, era)"
                + " SELECT store_id, era, pg_notify(" + channel + ", 'e ')::text FROM raised";
    }
}
