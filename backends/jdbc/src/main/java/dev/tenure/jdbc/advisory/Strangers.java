package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.SessionEvents;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks now and then whether the lock that is waited for is with somebody who is no candidate: a script with the same number,
 * or a person with a console. Nobody here may end such a connection, so it is told to people, with what they can do. One
 * question in a TTL for the whole session. Loop-confined.
 */
final class Strangers {
    private final AdvisoryBackend.Store store;
    private final Member me;
    private final SessionEvents events;
    private final Map<ElectionName, Stranger> suspected = new HashMap<>();
    private final Map<ElectionName, Stranger> told = new HashMap<>();
    private long nextLookNanos;

    /**
     * A connection, as the server shows it to this user.
     *
     * @param since tells it apart from a later one whose process has the same number
     */
    private record Stranger(int pid, String since, String application, String user, String address) {}

    Strangers(AdvisoryBackend.Store store, Member me, SessionEvents events) {
        this.store = store;
        this.me = me;
        this.events = events;
        this.nextLookNanos = store.host().nanos();
    }

    /** @param unexplained elections that are waited for, and of which no leader is known */
    void lookFor(List<ElectionName> unexplained, Line line) {
        long nowNanos = store.host().nanos();
        if (unexplained.isEmpty() || nowNanos - nextLookNanos < 0) {
            return;
        }
        nextLookNanos = nowNanos + me.ttl().toNanos();
        Map<Long, ElectionName> byLock = new HashMap<>();
        unexplained.forEach(election -> byLock.put(me.keys().of(election), election));
        Aside.run(
                "looking for who has a lock",
                store.onLoop(line.run(connection -> find(connection, byLock))).thenAccept(this::found));
    }

    private Map<ElectionName, Stranger> find(Connection connection, Map<Long, ElectionName> byLock)
            throws SQLException {
        Map<ElectionName, Stranger> found = new HashMap<>();
        try (PreparedStatement statement =
                connection.prepareStatement(store.statements().strangers())) {
            statement.setArray(
                    1, connection.createArrayOf("bigint", byLock.keySet().toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ElectionName election = byLock.get(rows.getLong("key"));
                    if (election != null) {
                        found.put(election, stranger(rows));
                    }
                }
            }
        }
        return found;
    }

    /** Only the second look tells: between a lock and its row there is a moment for every leader. */
    private void found(Map<ElectionName, Stranger> now) {
        told.keySet().retainAll(now.keySet());
        now.forEach((election, stranger) -> {
            boolean stays = stranger.equals(suspected.get(election));
            if (stays && !stranger.equals(told.put(election, stranger))) {
                events.stuck(election, sentence(election, stranger));
            }
        });
        suspected.clear();
        suspected.putAll(now);
    }

    private static Stranger stranger(ResultSet rows) throws SQLException {
        return new Stranger(
                rows.getInt("pid"),
                shown(rows.getString("backend_start")),
                shown(rows.getString("application_name")),
                shown(rows.getString("usename")),
                shown(rows.getString("client_addr")));
    }

    private static String shown(@Nullable String value) {
        return value == null || value.isBlank() ? "not shown" : value;
    }

    private String sentence(ElectionName election, Stranger stranger) {
        return "STUCK_HOLDER: the advisory lock " + me.keys().of(election) + " of this election is held by a connection"
                + " that does not lead it: server process " + stranger.pid + " (application_name: "
                + stranger.application
                + ", user: " + stranger.user + ", client_addr: " + stranger.address + ", connected since "
                + stranger.since
                + "). Nobody can lead before it lets go. If it is not wanted: SELECT pg_terminate_backend("
                + stranger.pid + "); if it is, give the elections tables of another name (tenure.prefix), and with"
                + " them other locks";
    }
}
