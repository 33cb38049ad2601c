// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The least that a handover by an advisory lock can cost: one unlocks, the next, already inside {@code pg_advisory_lock}, gets its answer. */
final class AdvisoryFloor implements Contender {
    private final Connection connection;

    AdvisoryFloor(String url) throws SQLException {
        connection = DriverManager.getConnection(url);
    }

    @Override
    public Stand stand(String election, Leading leading) {
        String key = "floor/" + election;
        Thread waiter = new Thread(() -> wait(key, leading), "waiter");
        waiter.setDaemon(true);
        waiter.start();
        return new Stood(this, key);
    }

    private void wait(String key, Leading leading) {
        try {
            say("SELECT pg_advisory_lock(hashtextextended(?, 0))", key);
            LeadingCallback.begin(leading);
        } catch (SQLException closed) {
            return;
        }
    }

    private void say(String sql, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, key);
            statement.execute();
        }
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    private record Stood(AdvisoryFloor floor, String key) implements Stand {
        @Override
        public boolean believes() {
            return true;
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() throws SQLException {
            floor.say("SELECT pg_advisory_unlock(hashtextextended(?, 0))", key);
        }
    }
}
