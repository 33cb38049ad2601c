// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.jdbc.Dialect;
import dev.tenure.jdbc.Dialect.SqlErrorKind;
import dev.tenure.jdbc.SqlCall;
import dev.tenure.postgres.advisory.AdvisorySession.Info;
import dev.tenure.postgres.advisory.ElectionSql.ElectionRow;
import dev.tenure.postgres.advisory.LockConnection.Holding;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.LongStream;

/**
 * Claims and releases on a connection. The caller is alone with it.
 *
 * <p>A claim takes the lock and writes the row in one statement, in this order. Its snapshot is older than the lock, but the
 * row that it writes is not: under READ COMMITTED {@code ON CONFLICT DO UPDATE} takes the newest version of the row, and
 * waits for a predecessor whose release has not been committed yet. So the token is above that of every earlier holder.
 *
 * <p>A claim does not wait for the disk if its token is the clock's and no standby has to have it. A crash that loses the row
 * loses the lock as well, and the clock has gone on when the next one is granted.
 */
final class ClaimSql {
    private static final String BY_CLOCK =
            "((s.era::bigint << 48) | (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint)";
    private static final long FLOOR_AHEAD_MILLIS_MAX = 86_400_000;

    private final Dialect dialect;
    private final AdvisoryErrors errors;
    private final String tryClaim;
    private final String awaitClaim;
    private final String release;
    private final String announce;
    private final String leave;
    private final String owner;

    /** What became of one claim. */
    sealed interface Outcome {
        ClaimRequest request();

        record Won(ClaimRequest request, ClaimReply.Granted grant) implements Outcome {}

        /** @param holder empty if its row was not there to be seen yet */
        record Taken(ClaimRequest request, Optional<ElectionRow> holder) implements Outcome {}

        /** It was surely not applied. */
        record Refused(ClaimRequest request, BackendException why) implements Outcome {}
    }

    ClaimSql(Dialect dialect, ElectionTables tables, AdvisoryErrors errors) {
        this.dialect = dialect;
        this.errors = errors;
        String channel = tables.channel().expression();
        this.tryClaim = claim(tables, "pg_try_advisory_lock(a.lock_key)");
        this.awaitClaim = claim(tables, "(pg_advisory_lock(a.lock_key)::text = '')");
        // A commit that is lost in a crash makes the next holder believe that this one did not release: that costs
        // nothing, and so nobody waits for the disk. A session that waits in the queue has the lock as soon as it is
        // free, before this statement goes on: an announcement would only get into its way. If the lock can be had,
        // no session waited there.
        this.release =
                "UPDATE " + tables.epochs() + " SET session = '' WHERE election = ANY (?::text[]) AND session = ?"
                        + " RETURNING election, CASE WHEN pg_advisory_unlock(lock_key) THEN CASE WHEN pg_try_advisory_lock(lock_key)"
                        + " THEN CASE WHEN pg_advisory_unlock(lock_key)"
                        + " THEN pg_notify(" + channel + ", 'r ' || election)::text END END END,"
                        + " set_config('synchronous_commit', 'off', true)";
        this.announce = "SELECT count(pg_notify(" + channel + ", ? || name)::text) FROM unnest(?::text[]) AS name";
        this.leave = "WITH vacated AS (UPDATE " + tables.epochs()
                + " SET session = '' WHERE session = ? AND session <> '' RETURNING election)"
                + " SELECT count(pg_notify(" + channel + ", 'r ' || election)::text) FROM vacated";
        this.owner = "SELECT election FROM " + tables.epochs() + " WHERE lock_key = ? AND election <> ?";
    }

    /**
     * Parameters: session, connection, TTL in ms; then arrays with one element for each election: name, lock, does this
     * connection have the lock already, both halves of the nonce, floor, holder, card; then how long locks are waited for from
     * then on.
     *
     * @param lock an expression that is false if the lock is not to be had
     */
    private static String claim(ElectionTables tables, String lock) {
        String epochs = tables.epochs();
        return "WITH me AS (SELECT ?::text AS session, ?::bigint AS line, ?::bigint AS ttl),"
                + " asked AS (SELECT * FROM unnest(?::text[], ?::bigint[], ?::boolean[], ?::bigint[], ?::bigint[],"
                + " ?::bigint[], ?::text[], ?::text[])"
                + " AS q(election, lock_key, mine, nonce_high, nonce_low, floor, holder, card)),"
                + " tried AS MATERIALIZED (SELECT a.*, me.*, CASE WHEN a.mine THEN true"
                + " ELSE " + lock + " END AS got FROM asked a, me),"
                + " written AS (INSERT INTO " + epochs + " AS e (election, lock_key, token, nonce_high, nonce_low,"
                + " session, line, holder, card, ttl_millis, since_millis, takeover, former_ttl_millis)"
                + " SELECT t.election, t.lock_key, greatest(" + BY_CLOCK + ", least(t.floor, " + BY_CLOCK + " + "
                + FLOOR_AHEAD_MILLIS_MAX + ") + 1), t.nonce_high, t.nonce_low, t.session, t.line, t.holder, t.card,"
                + " t.ttl, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint, false, 0"
                + " FROM tried t, " + tables.store() + " s WHERE t.got AND s.id = 1"
                + " ON CONFLICT (election) DO UPDATE SET lock_key = excluded.lock_key,"
                + " token = greatest(e.token + 1, excluded.token), nonce_high = excluded.nonce_high,"
                + " nonce_low = excluded.nonce_low, session = excluded.session, line = excluded.line,"
                + " holder = excluded.holder, card = excluded.card, ttl_millis = excluded.ttl_millis,"
                + " since_millis = excluded.since_millis, request_verb = NULL, request_token = NULL, request_by = NULL,"
                + " takeover = CASE WHEN e.session = excluded.session THEN e.takeover ELSE e.session <> '' END, former_ttl_millis"
                + " = CASE WHEN e.session = excluded.session THEN e.former_ttl_millis ELSE e.ttl_millis END"
                + " RETURNING e.election, e.token, e.takeover, e.former_ttl_millis),"
                + " alive AS MATERIALIZED (SELECT * FROM (" + ElectionSql.LOCKS
                + ") l WHERE EXISTS (SELECT FROM tried WHERE NOT got)),"
                + " hasty AS (SELECT set_config('synchronous_commit', 'off', true)"
                + " WHERE current_setting('synchronous_standby_names') = ''"
                + " AND (SELECT bool_and(w.token <= " + BY_CLOCK + ") FROM written w, " + tables.store() + " s))"
                + " SELECT t.election AS asked, t.got, w.token AS new_token, w.takeover, w.former_ttl_millis, "
                + ElectionRow.COLUMNS + ", other.election AS collides,"
                + " set_config('lock_timeout', ?, false), (SELECT count(*) FROM hasty)"
                + " FROM tried t LEFT JOIN written w ON w.election = t.election"
                + " LEFT JOIN " + epochs + " e ON e.election = t.election AND NOT t.got"
                + " LEFT JOIN " + epochs + " other ON other.lock_key = t.lock_key AND other.election <> t.election"
                + " AND NOT t.got";
    }

    /** Each of another election; one for which there is no room is refused, and one that is held already needs none. */
    List<Outcome> tryAll(LockConnection on, Connection connection, Info me, List<ClaimRequest> requests)
            throws SQLException {
        List<Outcome> outcomes = new ArrayList<>();
        List<ClaimRequest> fitting = new ArrayList<>();
        int room = me.locksMax() - on.holdings().size();
        for (ClaimRequest request : requests) {
            if (isHeld(on, request) || room-- > 0) {
                fitting.add(request);
            } else {
                outcomes.add(new Outcome.Refused(request, errors.tooManyLocks(me.locksMax())));
            }
        }
        if (fitting.isEmpty()) {
            return outcomes;
        }
        try {
            outcomes.addAll(claim(tryClaim, on, connection, me, fitting));
        } catch (SQLException failure) {
            tidy(on, connection, failure);
            boolean oneByOne = fitting.size() > 1 && errors.kind(failure) == SqlErrorKind.DUPLICATE;
            for (ClaimRequest request : fitting) {
                if (oneByOne) {
                    outcomes.addAll(tryAll(on, connection, me, List.of(request)));
                } else {
                    outcomes.add(refused(connection, me, request, failure));
                }
            }
        }
        return outcomes;
    }

    private static boolean isHeld(LockConnection on, ClaimRequest request) {
        return on.holdings().containsKey(request.election().encoded());
    }

    /** Waits for its turn, for as long as the connection waits for locks. */
    Outcome await(LockConnection on, Connection connection, Info me, ClaimRequest request) throws SQLException {
        try {
            return claim(awaitClaim, on, connection, me, List.of(request)).get(0);
        } catch (SQLException failure) {
            tidy(on, connection, failure);
            if (AdvisoryErrors.is(AdvisoryErrors.LOCK_TIMEOUT, failure)
                    || AdvisoryErrors.is(AdvisoryErrors.CANCELLED, failure)) {
                throw failure;
            }
            return refused(connection, me, request, failure);
        }
    }

    private List<Outcome> claim(
            String sql, LockConnection on, Connection connection, Info me, List<ClaimRequest> requests)
            throws SQLException {
        Map<String, ClaimRequest> asked = new HashMap<>();
        requests.forEach(request -> asked.put(request.election().encoded(), request));
        SqlCall claim = new SqlCall(
                sql,
                me.session(),
                on.identity().key(),
                me.ttl().toMillis(),
                column(requests, String[]::new, request -> request.election().encoded()),
                column(requests, Long[]::new, request -> me.keys().of(request.election())),
                column(requests, Boolean[]::new, request -> isHeld(on, request)),
                column(requests, Long[]::new, request -> request.nonce().high()),
                column(requests, Long[]::new, request -> request.nonce().low()),
                column(requests, Long[]::new, request -> Math.min(request.floor(), Long.MAX_VALUE - 1)),
                column(requests, String[]::new, ClaimRequest::holder),
                column(requests, String[]::new, request -> ElectionRow.text(request.metadata())),
                LockConnection.Factory.lockTimeout(me.ttl().toMillis()));
        List<Outcome> outcomes = claim.rows(
                connection,
                row -> outcome(Objects.requireNonNull(asked.get(row.getString(1))), row),
                dialect::ensureDurable);
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Won won) {
                ElectionName election = won.request().election();
                long lock = me.keys().of(election);
                Holding holding = new Holding(
                        lock, won.grant().token().value(), won.grant().nonce());
                on.holdings().put(election.encoded(), holding);
            }
        }
        return outcomes;
    }

    private static <T> T[] column(
            List<ClaimRequest> requests, IntFunction<T[]> array, Function<ClaimRequest, T> value) {
        return requests.stream().map(value).toArray(array);
    }

    private static Outcome outcome(ClaimRequest request, ResultSet row) throws SQLException {
        long token = row.getLong("new_token");
        if (token != 0) {
            boolean takeover = row.getBoolean("takeover");
            // Of a predecessor that did not release: as long as this it may still believe.
            Duration formerTtl = takeover ? Duration.ofMillis(row.getLong("former_ttl_millis")) : Duration.ZERO;
            return new Outcome.Won(
                    request, new ClaimReply.Granted(new FencingToken(token), request.nonce(), takeover, formerTtl));
        }
        if (row.getBoolean("got")) {
            throw AdvisoryErrors.missingEra();
        }
        String other = row.getString("collides");
        return other == null
                ? new Outcome.Taken(request, ElectionRow.of(row))
                : new Outcome.Refused(request, AdvisoryErrors.collision(request.election(), other));
    }

    private Outcome refused(Connection connection, Info me, ClaimRequest request, SQLException failure)
            throws SQLException {
        ElectionName election = request.election();
        Optional<String> other = errors.kind(failure) == SqlErrorKind.DUPLICATE
                ? new SqlCall(owner, me.keys().of(election), election.encoded())
                        .first(connection, row -> row.getString(1))
                : Optional.empty();
        return new Outcome.Refused(
                request,
                other.map(name -> AdvisoryErrors.collision(election, name))
                        .orElseGet(() -> errors.maybeAfterEffect(failure)));
    }

    /** The lock outlives the statement that took it and then failed; without its row it must not stay. */
    private void tidy(LockConnection on, Connection connection, SQLException failure) throws SQLException {
        if (!errors.isWithoutEffect(failure) && !AdvisoryErrors.is(AdvisoryErrors.CANCELLED, failure)) {
            throw failure;
        }
        tidy(on, connection);
    }

    /** Lets go of every lock of the connection that is not among its holdings. */
    static void tidy(LockConnection on, Connection connection) throws SQLException {
        LongStream held = on.holdings().values().stream().mapToLong(Holding::lockKey);
        Long[] expected = LongStream.concat(held, LongStream.of(on.identity().key()))
                .boxed()
                .toArray(Long[]::new);
        String sql = "SELECT pg_advisory_unlock(key) FROM (" + ElectionSql.MINE + ") m WHERE key <> ALL (?::bigint[])";
        new SqlCall(sql, (Object) expected).rows(connection, row -> 1);
    }

    /**
     * @param names those that were this session's and are not any more
     * @param unannounced those that are vacant without an announcement: a session that waited for the lock has them already,
     *     or there was no row to announce; others may be notified later
     */
    record Released(List<String> names, List<String> unannounced) {}

    Released release(LockConnection on, Connection connection, Info me, List<String> elections) throws SQLException {
        List<String> unannounced = new ArrayList<>(elections);
        List<String> names = new SqlCall(release, elections.toArray(String[]::new), me.session())
                .rows(connection, row -> {
                    if (row.getString(2) != null) {
                        unannounced.remove(row.getString(1));
                    }
                    return row.getString(1);
                });
        elections.forEach(on.holdings()::remove);
        if (names.size() < elections.size()) {
            tidy(on, connection); // a row that somebody has changed by hand: the lock goes all the same
        }
        return new Released(names, unannounced);
    }

    /** Frees the locks of terms that are gone, if they have not been claimed again. Returns whose. */
    static List<String> letGo(LockConnection on, Connection connection, Map<String, Holding> gone) throws SQLException {
        List<String> freed = new ArrayList<>(gone.keySet());
        freed.removeIf(name -> !on.holdings().remove(name, gone.get(name)));
        tidy(on, connection);
        return freed;
    }

    /** @param what stands in front of the name, as in {@link Notification} */
    boolean announce(Connection connection, String what, List<String> elections) throws SQLException {
        return new SqlCall(announce, what, elections.toArray(String[]::new))
                .first(connection, row -> true)
                .isPresent();
    }

    /** All that a session has. */
    boolean leave(Connection connection, String session) throws SQLException {
        return new SqlCall(leave, session).first(connection, row -> true).isPresent();
    }
}
