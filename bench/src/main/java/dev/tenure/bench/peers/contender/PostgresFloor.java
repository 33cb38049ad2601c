// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The least that a handover by a row can cost with the plain driver: one gives up its row and notifies in one statement, the
 * next hears it and takes the row with one UPDATE.
 */
final class PostgresFloor implements Contender {
    private static final String TABLE = "CREATE TABLE IF NOT EXISTS floor_rows (name TEXT PRIMARY KEY, holder TEXT)";
    private static final String ADD = "INSERT INTO floor_rows VALUES (?, NULL) ON CONFLICT DO NOTHING";
    private static final String TAKE = "UPDATE floor_rows SET holder = ? WHERE name = ? AND holder IS NULL";
    private static final String LEAVE =
            "WITH left_rows AS (UPDATE floor_rows SET holder = NULL WHERE holder = ? AND name = ?"
                    + " RETURNING name) SELECT pg_notify('floor', name) FROM left_rows";

    private final String id = UUID.randomUUID().toString();
    private final Connection working;
    private final Connection listening;
    private final Map<String, Leading> waiting = new ConcurrentHashMap<>();

    PostgresFloor(String url) throws SQLException {
        working = DriverManager.getConnection(url);
        listening = DriverManager.getConnection(url);
        try (Statement statement = listening.createStatement()) {
            statement.execute(TABLE);
            statement.execute("LISTEN floor");
        }
        Thread listener = new Thread(this::listen, "floor");
        listener.setDaemon(true);
        listener.start();
    }

    private void listen() {
        try {
            PGConnection notified = listening.unwrap(PGConnection.class);
            while (true) {
                PGNotification[] heard = notified.getNotifications(0);
                for (PGNotification notification : heard) {
                    take(notification.getParameter());
                }
            }
        } catch (SQLException closed) {
            return;
        }
    }

    private void take(String election) throws SQLException {
        Leading leading = waiting.get(election);
        if (leading != null && change(TAKE, election) == 1) {
            waiting.remove(election);
            LeadingCallback.begin(leading);
        }
    }

    private synchronized int change(String statement, String election) throws SQLException {
        try (PreparedStatement change = working.prepareStatement(statement)) {
            change.setString(1, id);
            change.setString(2, election);
            return change.execute() ? 1 : change.getUpdateCount();
        }
    }

    @Override
    public Stand stand(String election, Leading leading) {
        try (PreparedStatement add = working.prepareStatement(ADD)) {
            add.setString(1, election);
            add.executeUpdate();
            waiting.put(election, leading);
            take(election);
        } catch (SQLException failure) {
            throw new IllegalStateException(election, failure);
        }
        return new Stood(this, election);
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() throws SQLException {
        listening.close();
        working.close();
    }

    private record Stood(PostgresFloor floor, String election) implements Stand {
        @Override
        public boolean believes() {
            return !floor.waiting.containsKey(election);
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() throws SQLException {
            floor.waiting.remove(election);
            floor.change(LEAVE, election);
        }
    }
}
