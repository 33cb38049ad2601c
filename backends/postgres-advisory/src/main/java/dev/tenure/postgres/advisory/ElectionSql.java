// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.jdbc.SqlCall;
import dev.tenure.postgres.advisory.AdvisorySession.Info;
import dev.tenure.postgres.advisory.LockConnection.Holding;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.RecordCodec;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads elections, asks things of their holders, and proves what a session still has. */
final class ElectionSql {
    /** A server process, and when it began. */
    static final String IDENTITY = "pg_backend_pid(), (SELECT (EXTRACT(EPOCH FROM backend_start) * 1000000)::bigint"
            + " FROM pg_stat_get_activity(pg_backend_pid()))";

    /** The advisory locks of this database that somebody has for himself: key and server process. */
    static final String LOCKS = "SELECT (classid::bigint << 32) | objid::bigint AS key, pid FROM pg_locks"
            + " WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND mode = 'ExclusiveLock'"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    /** The keys of those that this server process has. */
    static final String MINE = "SELECT key FROM (" + LOCKS + ") l WHERE pid = pg_backend_pid()";

    private final AdvisoryErrors errors;
    private final String epochs;
    private final String store;
    /** An expression. */
    private final String channel;

    /** A statement that names a session says {@code session <> ''} too: so a generic plan uses the index of those that are held. */
    private final String heartbeat;

    /**
     * The row of an election, as somebody sees it who does not hold it. A holder whose connection has ended is no leader, though
     * its row still names it.
     *
     * @param connectionKey the lock that its holder's connection has for itself
     */
    record ElectionRow(Observation observation, OptionalLong connectionKey) {
        private static final RecordCodec CARD = new RecordCodec("tenure card 1");

        /** What {@link #of} reads, where {@code alive} has the locks that are held. */
        static final String COLUMNS = "e.election, e.token, e.session <> '' AS held, e.line, e.holder, e.card,"
                + " e.since_millis, EXISTS (SELECT FROM alive a WHERE a.key = e.line) AS alive";

        static Optional<ElectionRow> of(ResultSet row) throws SQLException {
            String name = row.getString("election");
            if (name == null) {
                return Optional.empty();
            }
            ElectionName election = ElectionName.decode(name);
            long token = row.getLong("token");
            if (!row.getBoolean("held") || !row.getBoolean("alive")) {
                Observation vacant = new Observation(election, Optional.empty(), token);
                return Optional.of(new ElectionRow(vacant, OptionalLong.empty()));
            }
            Leader leader = new Leader(
                    election,
                    row.getString("holder"),
                    new FencingToken(token),
                    Instant.ofEpochMilli(row.getLong("since_millis")),
                    CARD.find(row.getString("card"), fields -> new LeaderMetadata(fields.under("")))
                            .orElse(LeaderMetadata.EMPTY));
            Observation led = new Observation(election, Optional.of(leader), token);
            return Optional.of(new ElectionRow(led, OptionalLong.of(row.getLong("line"))));
        }

        static String text(LeaderMetadata metadata) {
            return CARD.lines().addAll("", metadata.entries()).text();
        }
    }

    ElectionSql(ElectionTables tables, AdvisoryErrors errors) {
        this.errors = errors;
        this.epochs = tables.epochs();
        this.store = tables.store();
        this.channel = tables.channel().expression();
        this.heartbeat = "WITH held AS MATERIALIZED"
                + " (SELECT (classid::bigint << 32) | objid::bigint AS key, pid, granted, mode FROM pg_locks"
                + " WHERE locktype = 'advisory' AND objsubid = 1)"
                + " SELECT " + IDENTITY + " AS start,"
                + " (SELECT count(*) FROM held WHERE pid = pg_backend_pid() AND granted AND mode = 'ExclusiveLock')"
                + " AS locks,"
                + " EXISTS (SELECT FROM held WHERE pid = ? AND NOT granted) AS waits,"
                + " r.terms, r.mark, r.requests, (SELECT era FROM " + store + " WHERE store_id = ?) AS era"
                + " FROM (SELECT count(*) AS terms, bit_xor(token # nonce_high # nonce_low) AS mark,"
                + " count(request_verb) AS requests FROM " + epochs
                + " WHERE session = ? AND session <> '' AND line = ?) r";
    }

    private String rows() {
        return "WITH alive AS MATERIALIZED (" + LOCKS + ") SELECT " + ElectionRow.COLUMNS + " FROM " + epochs + " e";
    }

    Optional<ElectionRow> find(Connection connection, ElectionName election) throws SQLException {
        return new SqlCall(rows() + " WHERE e.election = ?", election.encoded())
                .first(connection, ElectionRow::of)
                .flatMap(found -> found);
    }

    List<Observation> list(Connection connection) throws SQLException {
        return new SqlCall(rows())
                .rows(connection, ElectionRow::of).stream()
                        .flatMap(Optional::stream)
                        .map(ElectionRow::observation)
                        .toList();
    }

    /** One for an election that nobody ever held has nobody to obey it, and is not kept. */
    List<Boolean> request(Connection connection, OperatorRequest request) throws SQLException {
        String sql = "WITH asked AS (UPDATE " + epochs + " SET request_verb = ?, request_token = ?, request_by = ?"
                + " WHERE election = ? RETURNING election)"
                + " SELECT pg_notify(" + channel + ", 'o ' || election)::text FROM asked";
        return new SqlCall(
                        sql,
                        request.verb().name(),
                        request.token().value(),
                        request.by(),
                        request.election().encoded())
                .rows(connection, row -> true);
    }

    int clear(Connection connection, OperatorRequest request) throws SQLException {
        String sql = "UPDATE " + epochs + " SET request_verb = NULL, request_token = NULL, request_by = NULL"
                + " WHERE election = ? AND request_verb = ? AND request_token = ? AND request_by = ?";
        return new SqlCall(
                        sql,
                        request.election().encoded(),
                        request.verb().name(),
                        request.token().value(),
                        request.by())
                .change(connection, written -> {});
    }

    /** Requests for what a session holds. */
    List<OperatorRequest> requests(Connection connection, String session) throws SQLException {
        String sql = "SELECT election, request_verb, request_token, request_by FROM " + epochs
                + " WHERE session = ? AND session <> '' AND request_verb IS NOT NULL";
        return new SqlCall(sql, session)
                .rows(
                        connection,
                        row -> new OperatorRequest(
                                ElectionName.decode(row.getString(1)),
                                OperatorRequest.Verb.valueOf(row.getString(2)),
                                new FencingToken(row.getLong(3)),
                                row.getString(4)));
    }

    StoreEra raiseEra(Connection connection, int atLeast) throws SQLException {
        String sql = "WITH raised AS (UPDATE " + store + " SET era = greatest(era, ?) RETURNING store_id, era)"
                + " SELECT store_id, era, pg_notify(" + channel + ", 'e ')::text FROM raised";
        return new SqlCall(sql, atLeast)
                .first(connection, row -> new StoreEra(row.getString(1), row.getInt(2)))
                .orElseThrow(AdvisoryErrors::missingEra);
    }

    /** What a heartbeat has seen. */
    sealed interface Pulse {
        /**
         * @param missing what the connection has without the row that goes with it, or the other way round; its lock is left
         *     alone, because the candidate that leads by it has to be notified before any other can lead
         * @param waits does that other server process wait for a lock?
         */
        record Alive(int era, Map<ElectionName, Holding> missing, List<OperatorRequest> requests, boolean waits)
                implements Pulse {}

        record Dead(String why) implements Pulse {}
    }

    /**
     * Proves in one round trip that a connection is still served by the same process of the server, that this has every lock, and
     * that every row still carries the term. Locks and rows are counted, and the tokens and nonces of the rows are folded into
     * one number: only if something differs is it asked what.
     *
     * @param waitingPid the server process of another connection, or 0
     */
    Pulse heartbeat(LockConnection on, Connection connection, Info me, int waitingPid) throws SQLException {
        LockConnection.Identity identity = on.identity();
        return new SqlCall(heartbeat, waitingPid, me.opened().storeId(), me.session(), identity.key())
                .<Pulse>first(connection, row -> {
                    int pid = row.getInt(1);
                    if (pid != identity.pid() || row.getLong("start") != identity.startMicros()) {
                        return new Pulse.Dead(errors.shared(identity.pid(), pid));
                    }
                    int era = row.getInt("era");
                    if (row.wasNull()) {
                        return new Pulse.Dead(errors.wiped());
                    }
                    Map<ElectionName, Holding> missing = isWhole(on, row) ? Map.of() : missing(on, connection, me);
                    List<OperatorRequest> requests =
                            row.getInt("requests") > 0 ? requests(connection, me.session()) : List.of();
                    return new Pulse.Alive(era, missing, requests, row.getBoolean("waits"));
                })
                .orElseThrow();
    }

    private static boolean isWhole(LockConnection on, ResultSet row) throws SQLException {
        Map<String, Holding> held = on.holdings();
        long mark = held.values().stream().mapToLong(Holding::mark).reduce(0, (one, other) -> one ^ other);
        return row.getInt("locks") == held.size() + 1
                && row.getInt("terms") == held.size()
                && row.getLong("mark") == mark;
    }

    private Map<ElectionName, Holding> missing(LockConnection on, Connection connection, Info me) throws SQLException {
        Map<String, Holding> left = new HashMap<>(on.holdings());
        String sql = "SELECT election, lock_key, token, nonce_high, nonce_low FROM " + epochs
                + " WHERE session = ? AND session <> '' AND line = ? AND lock_key IN (" + MINE + ")";
        new SqlCall(sql, me.session(), on.identity().key()).rows(connection, row -> {
            Holding stored = new Holding(row.getLong(2), row.getLong(3), new Nonce(row.getLong(4), row.getLong(5)));
            return left.remove(row.getString(1), stored);
        });
        ClaimSql.tidy(on, connection); // a lock of which nobody here knows would stop everybody
        Map<ElectionName, Holding> missing = new HashMap<>();
        left.forEach((name, holding) -> missing.put(ElectionName.decode(name), holding));
        return missing;
    }

    boolean holds(Connection connection, Info me, Term term) throws SQLException {
        Nonce nonce = term.nonce();
        String sql = "SELECT 1 FROM " + epochs + " WHERE election = ? AND session = ? AND token = ?"
                + " AND nonce_high = ? AND nonce_low = ? AND lock_key IN (" + MINE + ")";
        return new SqlCall(
                        sql,
                        term.election().encoded(),
                        me.session(),
                        term.token().value(),
                        nonce.high(),
                        nonce.low())
                .first(connection, row -> true)
                .isPresent();
    }
}
