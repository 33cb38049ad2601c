// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender.lock;

import dev.tenure.bench.peers.contender.Contender;
import dev.tenure.bench.peers.contender.LeadingCallback;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** What many write by hand: one connection, {@code pg_try_advisory_lock} now and then, and a flag. */
public final class PolledAdvisoryLock implements Contender {
    private static final Duration TRIED_EVERY = Duration.ofMillis(500);

    private final Connection connection;
    private final Map<String, Stood> standing = new ConcurrentHashMap<>();
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> trying;
    private volatile boolean alive = true;

    public PolledAdvisoryLock(String url) throws SQLException {
        connection = DriverManager.getConnection(url);
        trying = scheduler.scheduleWithFixedDelay(this::tryAll, 0, TRIED_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tryAll() {
        try {
            if (!connection.isValid(1)) {
                throw new SQLException("gone");
            }
            for (Stood stood : standing.values()) {
                if (!stood.held && ask("SELECT pg_try_advisory_lock(hashtextextended(?, 0))", stood.election)) {
                    stood.held = true;
                    LeadingCallback.begin(stood.leading);
                }
            }
        } catch (SQLException gone) {
            alive = false;
        }
    }

    private boolean ask(String query, String election) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, election);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    @Override
    public Stand stand(String election, Leading leading) {
        Stood stood = new Stood(election, leading);
        standing.put(election, stood);
        return stood;
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() throws SQLException {
        trying.cancel(true);
        scheduler.shutdownNow();
        connection.close();
    }

    private final class Stood implements Stand {
        private final String election;
        private final Leading leading;
        private volatile boolean held;

        Stood(String election, Leading leading) {
            this.election = election;
            this.leading = leading;
        }

        @Override
        public boolean believes() {
            return held && alive;
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() throws SQLException {
            standing.remove(election);
            held = false;
            ask("SELECT pg_advisory_unlock(hashtextextended(?, 0))", election);
        }
    }
}
