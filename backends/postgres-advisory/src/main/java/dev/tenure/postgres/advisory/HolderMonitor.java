// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.SqlCall;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.Stages;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Looks now and then at who has the locks that are waited for. One question in about a TTL for the whole session, and none if it
 * waits for nothing. Loop-confined.
 *
 * <p>A <em>stranger</em> is no candidate: a script with the same number, or a person with a console. Nobody here may end such a
 * connection, so it is told to people, with what they can do.
 *
 * <p>A <em>silent leader</em> has said nothing for longer than its TTL. Its connection is ended where the server does not, because
 * its clock was set back. A server process shows when it last had something to do, and whatever a leader says changes that before
 * the answer leaves. So if a look shows the same as one whose answer was here {@code ttl * 1.1} ago, by this process's monotonic
 * clock, the leader has heard no answer since, and its deadline has passed (decision 18). The statement that ends it compares
 * once more.
 */
final class HolderMonitor {
    private static final Logger LOG = System.getLogger("dev.tenure");

    /** Ends a server process that is still as it was. */
    private static final String END_SILENT =
            "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid = ? AND "
                    + micros("a.backend_start") + " = ? AND " + micros("a.state_change")
                    + " = ? AND a.state LIKE 'idle%'";

    private final String find;
    private final Host host;
    private final AdvisorySession.Info me;
    private final SessionEvents events;
    private final Supplier<LockConnection> working;
    private final Map<ElectionName, Holder> suspected = new HashMap<>();
    private final Map<ElectionName, Holder> reportedStrangers = new HashMap<>();
    /** When each was here first; only of the last look, because one that was not seen has shown life. */
    private final Map<Sign, Long> sinceNanos = new HashMap<>();

    private final Set<Sign> reportedSilent = new HashSet<>();
    private boolean reportedHidden;
    private long nextLookNanos;

    /**
     * The connection that has a lock which somebody waits for, as the server shows it to this user.
     *
     * @param shown tells it apart from a later one whose process has the same number
     * @param term empty if it does not lead the election of the lock
     */
    private record Holder(int pid, String shown, Optional<LedTerm> term) {}

    /**
     * Of one that leads.
     *
     * @param visible may this user see what the connection does?
     * @param sign empty if the server does not show it, or it is busy
     */
    private record LedTerm(String node, Duration ttl, boolean visible, Optional<Sign> sign) {}

    /**
     * The last sign of life of a connection that is idle. Times are the server's, and only compared for being the same: any
     * other one is life, also one that is earlier.
     */
    private record Sign(int pid, long beganMicros, long spokeMicros) {}

    /** @param working for statements; asked at each use, because it changes */
    HolderMonitor(
            AdvisoryBackend.Context context,
            AdvisorySession.Info me,
            SessionEvents events,
            Supplier<LockConnection> working) {
        this.host = context.host();
        this.me = me;
        this.events = events;
        this.working = working;
        this.nextLookNanos = host.nanos();
        // With the holder of the election, if it leads that. Not one whose row is written, and only waits for a
        // standby. A clock that stands still shows no life, so then nobody counts as idle.
        this.find =
                "WITH held AS MATERIALIZED (SELECT (classid::bigint << 32) | objid::bigint AS key, pid FROM pg_locks"
                        + " WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
                        + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
                        + " SELECT h.key, h.pid, a.backend_start, a.application_name, a.usename, a.client_addr,"
                        + " e.holder, e.ttl_millis, a.pid IS NULL OR a.state_change IS NOT NULL AS visible,"
                        + " a.state LIKE 'idle%' AND a.state_change <> clock_timestamp() AS idle, "
                        + micros("a.backend_start") + " AS began, " + micros("a.state_change") + " AS spoke FROM held h"
                        + " LEFT JOIN pg_stat_activity a ON a.pid = h.pid LEFT JOIN "
                        + context.tables().epochs()
                        + " e ON e.lock_key = h.key"
                        + " AND e.session <> '' AND EXISTS (SELECT FROM held own WHERE own.key = e.line AND own.pid = h.pid)"
                        + " WHERE h.key = ANY (?::bigint[]) AND a.wait_event IS DISTINCT FROM 'SyncRep'";
    }

    private static String micros(String time) {
        return "(EXTRACT(EPOCH FROM " + time + ") * 1000000)::bigint";
    }

    /** How long a sign has to stay the same: as long as the server gives, and what two clocks may differ by. */
    private static long patienceNanos(Duration ttl) {
        return ttl.plus(ttl.dividedBy(10)).toNanos();
    }

    /** @param awaited enough to see every connection that has something which is waited for */
    void lookAt(List<ElectionName> awaited) {
        long nowNanos = host.nanos();
        if (awaited.isEmpty() || nowNanos - nextLookNanos < 0) {
            return;
        }
        putOff(nowNanos);
        Map<Long, ElectionName> byLock = new HashMap<>();
        awaited.forEach(election -> byLock.put(me.keys().of(election), election));
        Stages.ignore(
                "looking for who has a lock",
                working.get().run(connection -> find(connection, byLock)).thenAccept(found -> {
                    long receivedNanos = host.nanos();
                    putOff(receivedNanos);
                    findStrangers(found);
                    findSilent(found, receivedNanos);
                }));
    }

    /** So that the second look at one who has fallen silent is enough. */
    private void putOff(long fromNanos) {
        nextLookNanos = fromNanos + patienceNanos(me.ttl());
    }

    private Map<ElectionName, Holder> find(Connection connection, Map<Long, ElectionName> byLock) throws SQLException {
        Map<ElectionName, Holder> found = new HashMap<>();
        new SqlCall(find, (Object) byLock.keySet().toArray(Long[]::new)).rows(connection, row -> {
            ElectionName election = byLock.get(row.getLong("key"));
            return election != null && found.put(election, holder(row)) == null;
        });
        return found;
    }

    private static Holder holder(ResultSet row) throws SQLException {
        int pid = row.getInt("pid");
        String shown = "server process " + pid + " (application_name: " + shown(row, "application_name") + ", user: "
                + shown(row, "usename") + ", client_addr: " + shown(row, "client_addr") + ", connected since "
                + shown(row, "backend_start") + ")";
        String node = row.getString("holder");
        if (node == null) {
            return new Holder(pid, shown, Optional.empty());
        }
        boolean visible = row.getBoolean("visible");
        Optional<Sign> sign = visible && row.getBoolean("idle")
                ? Optional.of(new Sign(pid, row.getLong("began"), row.getLong("spoke")))
                : Optional.empty();
        Duration ttl = Duration.ofMillis(row.getLong("ttl_millis"));
        return new Holder(pid, shown, Optional.of(new LedTerm(node, ttl, visible, sign)));
    }

    private static String shown(ResultSet row, String column) throws SQLException {
        String value = row.getString(column);
        return value == null || value.isBlank() ? "not shown" : value;
    }

    /** Only the second look tells: between a lock and its row there is a moment for every leader. */
    private void findStrangers(Map<ElectionName, Holder> holders) {
        Map<ElectionName, Holder> now = new HashMap<>(holders);
        now.values().removeIf(holder -> holder.term.isPresent());
        reportedStrangers.keySet().retainAll(now.keySet());
        now.forEach((election, stranger) -> {
            boolean stays = stranger.equals(suspected.get(election));
            if (stays && !stranger.equals(reportedStrangers.put(election, stranger))) {
                events.blocked(election, strangerSentence(election, stranger));
            }
        });
        suspected.clear();
        suspected.putAll(now);
    }

    private String strangerSentence(ElectionName election, Holder stranger) {
        return "STUCK_HOLDER: the advisory lock " + me.keys().of(election) + " of this election is held by a connection"
                + " that does not lead it: " + stranger.shown
                + ". Nobody can lead before it lets go. If it is not wanted: SELECT pg_terminate_backend("
                + stranger.pid + "); if it is, give the elections tables of another name (tenure.prefix), and with"
                + " them other locks";
    }

    private void findSilent(Map<ElectionName, Holder> holders, long receivedNanos) {
        Set<Sign> signs = new HashSet<>();
        holders.forEach((election, holder) -> holder.term.ifPresent(term -> {
            if (!term.visible && !reportedHidden) {
                reportedHidden = true;
                LOG.log(
                        Level.INFO,
                        () -> election
                                + ": the server does not show this user whether the connection of its leader (server"
                                + " process " + holder.pid + ") is silent: another role, or track_activities is off."
                                + " Should the server's clock be set back while that leader is paused, nobody here can end"
                                + " it; let all candidates have the same role, or grant them pg_read_all_stats and"
                                + " pg_signal_backend");
            }
            term.sign
                    .filter(signs::add)
                    .filter(sign -> receivedNanos - sinceNanos.computeIfAbsent(sign, unknown -> receivedNanos)
                            >= patienceNanos(term.ttl))
                    .ifPresent(sign -> Stages.ignore(
                            "ending a silent leader",
                            working.get()
                                    .run(connection -> end(connection, sign))
                                    .thenAccept(ended -> report(ended, election, term, sign))));
        }));
        sinceNanos.keySet().retainAll(signs);
        reportedSilent.retainAll(signs);
    }

    /** Was it ended? If not, it has shown life after all, or is gone. Empty if this user may not. */
    private static Optional<Boolean> end(Connection connection, Sign sign) throws SQLException {
        try {
            List<Boolean> ended = new SqlCall(END_SILENT, sign.pid, sign.beganMicros, sign.spokeMicros)
                    .rows(connection, row -> row.getBoolean(1));
            return Optional.of(ended.contains(true));
        } catch (SQLException failure) {
            if (AdvisoryErrors.is(AdvisoryErrors.FORBIDDEN, failure)) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    private void report(Optional<Boolean> ended, ElectionName election, LedTerm term, Sign sign) {
        String silent = " has said nothing for longer than its TTL of " + term.ttl;
        if (ended.orElse(false)) {
            LOG.log(
                    Level.WARNING,
                    () -> election + ": ended the connection (server process " + sign.pid + ") of its leader "
                            + term.node + ", which" + silent + "; the server should have: was its clock set back?");
        } else if (ended.isEmpty() && reportedSilent.add(sign)) {
            events.blocked(
                    election,
                    "STUCK_HOLDER: the leader " + term.node + silent
                            + ", the server has not ended its connection (was its clock set back?), and this user may not:"
                            + " SELECT pg_terminate_backend(" + sign.pid + ") as another one, and let all candidates"
                            + " have the same role, or grant them pg_signal_backend");
        }
    }
}
