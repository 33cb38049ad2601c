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
import java.util.function.Supplier;

/**
 * Looks now and then at who has the locks that are waited for: a leader, which may have fallen silent, or somebody who is no
 * candidate. One question in about a TTL for the whole session, and none if it waits for nothing. Loop-confined.
 */
final class Holders {
    private final AdvisoryBackend.Store store;
    private final Member me;
    private final Supplier<Line> working;
    private final Strangers strangers;
    private final Silence silence;
    private long nextLookNanos;

    /** @param working the line of the session for statements, which changes */
    Holders(AdvisoryBackend.Store store, Member me, SessionEvents events, Supplier<Line> working) {
        this.store = store;
        this.me = me;
        this.working = working;
        this.strangers = new Strangers(me, events);
        this.silence = new Silence(store, events, working);
        this.nextLookNanos = store.host().nanos();
    }

    /** @param awaited enough to see every connection that has something which is waited for */
    void lookAt(List<ElectionName> awaited) {
        long nowNanos = store.host().nanos();
        if (awaited.isEmpty() || nowNanos - nextLookNanos < 0) {
            return;
        }
        putOff(nowNanos);
        Map<Long, ElectionName> byLock = new HashMap<>();
        awaited.forEach(election -> byLock.put(me.keys().of(election), election));
        Aside.run(
                "looking for who has a lock",
                store.onLoop(working.get().run(connection -> find(connection, byLock)))
                        .thenAccept(found -> {
                            long receivedNanos = store.host().nanos();
                            putOff(receivedNanos);
                            strangers.found(found);
                            silence.found(found, receivedNanos);
                        }));
    }

    /** So that the second look at one who has fallen silent is enough. */
    private void putOff(long fromNanos) {
        nextLookNanos = fromNanos + Silence.patienceNanos(me.ttl());
    }

    private Map<ElectionName, Holder> find(Connection connection, Map<Long, ElectionName> byLock) throws SQLException {
        Map<ElectionName, Holder> found = new HashMap<>();
        try (PreparedStatement statement =
                connection.prepareStatement(store.statements().holders())) {
            statement.setArray(
                    1, connection.createArrayOf("bigint", byLock.keySet().toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ElectionName election = byLock.get(rows.getLong("key"));
                    if (election != null) {
                        found.put(election, Holder.of(rows));
                    }
                }
            }
        }
        return found;
    }
}
