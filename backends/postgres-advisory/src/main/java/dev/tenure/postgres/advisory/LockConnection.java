// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.Nonce;
import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.jdbc.SqlCall;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.BlockingCalls;
import dev.tenure.spi.support.StoreUrl;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.postgresql.PGConnection;

/**
 * One physical connection, the server's process at its end, and the locks that this process has. Statements go one after the
 * other, and never many wait: claims and releases are sent in one batch at a time, so that a renewal is not late. A connection
 * on which something went wrong is never used again: nobody knows which locks it has. Any thread.
 */
final class LockConnection {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final Connection connection;
    private final Identity identity;
    private final Host host;
    private final AdvisoryErrors errors;
    private final BlockingCalls calls;
    private Consumer<String> endListener = why -> {};
    /** By the encoded name of the election. Touched by the thread that has the connection, one after the other. */
    private final Map<String, Holding> holdings = new HashMap<>();

    private boolean ended;

    /**
     * @param pid the server's process
     * @param startMicros when that began: a number of a process comes back
     * @param key the lock that this connection has for itself, so that others can wait for its end
     */
    record Identity(int pid, long startMicros, long key) {}

    /** A lock that the connection has, and the term that goes with it. */
    record Holding(long lockKey, long token, Nonce nonce) {
        long mark() {
            return token ^ nonce.high() ^ nonce.low();
        }
    }

    /** Something to be said to the server. */
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    LockConnection(Connection connection, Identity identity, Host host, AdvisoryErrors errors) {
        this.connection = connection;
        this.identity = identity;
        this.host = host;
        this.errors = errors;
        this.calls = new BlockingCalls(host.io(), 1);
    }

    Identity identity() {
        return identity;
    }

    Map<String, Holding> holdings() {
        return holdings;
    }

    /** Behind what was asked for before. Completes on the loop. */
    <T> CompletableFuture<T> run(Work<T> work) {
        return calls.call(() -> judged(work)).whenCompleteAsync((reply, failure) -> {}, host::post);
    }

    /** As {@link #now}, with a failure that tells whether it may have had an effect. */
    <T> T judged(Work<T> work) {
        try {
            return now(work);
        } catch (SQLException failure) {
            throw errors.maybeAfterEffect(failure);
        }
    }

    /** On this thread; the caller is alone with the connection. */
    <T> T now(Work<T> work) throws SQLException {
        if (isEnded()) {
            throw AdvisoryErrors.over();
        }
        try {
            return work.on(connection);
        } catch (SQLException failure) {
            if (!errors.isWithoutEffect(failure) && !AdvisoryErrors.is(AdvisoryErrors.CANCELLED, failure)) {
                end("its connection is gone: "
                        + errors.maybeAfterEffect(failure).getMessage());
            }
            throw failure;
        }
    }

    /** Told once, at its end, on any thread; at once if it has ended already. */
    synchronized void whenEnded(Consumer<String> listener) {
        if (ended) {
            listener.accept(AdvisoryErrors.SESSION_OVER);
        } else {
            endListener = listener;
        }
    }

    synchronized boolean isEnded() {
        return ended;
    }

    /** Breaks what is said on it, if something is. Waits for the server. */
    void cancel() {
        try {
            connection.unwrap(PGConnection.class).cancelQuery();
        } catch (SQLException failure) {
            LOG.log(Level.DEBUG, "a wait could not be cancelled", failure);
        }
    }

    void end(String why) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        // Notified first: a session that waits at the server for this connection's end learns of it too, but not why.
        endListener.accept(why);
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            LOG.log(Level.DEBUG, "a connection could not be closed", gone);
        }
        calls.close();
    }

    /** Makes connections: each to the server itself, and each with the settings by which the server gets rid of a dead client. */
    static final class Factory {
        private static final int VERSION_MIN = 140_000;
        /** So often the server looks after the client of somebody who waits for a lock. */
        private static final long CHECK_MILLIS_MAX = 1000;

        private final JdbcTarget target;
        private final AdvisoryErrors errors;
        private final Host host;

        Factory(JdbcTarget target, AdvisoryErrors errors, Host host) {
            this.target = target;
            this.errors = errors;
            this.host = host;
        }

        /**
         * Blocks.
         *
         * @param ttl of a session: the server ends the connection when nothing was said on it for this time, and with it go its locks;
         *     an answer that comes later is of no use. Empty for those who only look
         */
        LockConnection open(Optional<Duration> ttl) throws SQLException {
            Connection connection = openPlain();
            try {
                connection.setAutoCommit(true);
                Identity identity = identify(connection);
                long limitMillis = ttl.orElse(target.options().timeout()).toMillis();
                connection.setNetworkTimeout(Runnable::run, Math.toIntExact(limitMillis));
                if (ttl.isPresent()) {
                    set(connection, settings(limitMillis));
                    new SqlCall("SELECT pg_advisory_lock(?)", identity.key()).rows(connection, row -> 1);
                }
                return new LockConnection(connection, identity, host, errors);
            } catch (SQLException | RuntimeException failure) {
                connection.abort(Runnable::run);
                throw failure;
            }
        }

        /** One that hears what is announced. Blocks. */
        Connection openPlain() throws SQLException {
            return target.open(Map.of("ApplicationName", "tenure"));
        }

        /**
         * A pooler tells each client of a server process that it made up; the process that answers is another. Later each heartbeat
         * proves that it is still the same one.
         */
        private Identity identify(Connection connection) throws SQLException {
            int told = connection.unwrap(PGConnection.class).getBackendPID();
            String query = "SELECT " + ElectionSql.IDENTITY + ", current_setting('server_version_num')::int,"
                    + " pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'";
            return new SqlCall(query)
                    .first(connection, row -> {
                        int pid = row.getInt(1);
                        if (told != pid) {
                            throw StoreUrl.refused(errors.shared(told, pid));
                        }
                        if (row.getInt(3) < VERSION_MIN) {
                            throw errors.tooOld(row.getInt(3));
                        }
                        if (row.getBoolean(4)) {
                            throw errors.readOnly();
                        }
                        return new Identity(pid, row.getLong(2), host.random());
                    })
                    .orElseThrow();
        }

        /** How many locks one session may have: a server has a table for those of all sessions, made when it starts. */
        static int lockRoom(Connection connection) throws SQLException {
            String query =
                    "SELECT least(" + Integer.MAX_VALUE + ", current_setting('max_locks_per_transaction')::bigint"
                            + " * (current_setting('max_connections')::bigint"
                            + " + current_setting('max_prepared_transactions')::bigint) * 9 / 10)";
            return new SqlCall(query).first(connection, row -> row.getInt(1)).orElseThrow();
        }

        /** In ms. A row that somebody else keeps for himself must not keep the heartbeat from its turn. */
        static String lockTimeout(long ttlMillis) {
            return Long.toString(Math.max(50, ttlMillis / 8));
        }

        private static Map<String, String> settings(long ttlMillis) {
            String ttl = Long.toString(ttlMillis);
            return Map.ofEntries(
                    Map.entry("idle_session_timeout", ttl),
                    Map.entry("idle_in_transaction_session_timeout", ttl),
                    Map.entry("tcp_user_timeout", ttl),
                    Map.entry("tcp_keepalives_idle", Long.toString(Math.max(1, ttlMillis / 4000))),
                    Map.entry("tcp_keepalives_interval", "1"),
                    Map.entry("tcp_keepalives_count", "3"),
                    Map.entry(
                            "client_connection_check_interval",
                            Long.toString(Math.min(CHECK_MILLIS_MAX, ttlMillis / 2))),
                    Map.entry("lock_timeout", lockTimeout(ttlMillis)),
                    Map.entry("statement_timeout", "0"),
                    // To plan for arrays takes longer than to claim.
                    Map.entry("plan_cache_mode", "force_generic_plan"),
                    Map.entry("default_transaction_isolation", "read committed"));
        }

        static void set(Connection connection, Map<String, String> settings) throws SQLException {
            List<String> parameters = new ArrayList<>();
            settings.forEach((name, value) -> parameters.addAll(List.of(name, value)));
            String all = "SELECT " + "set_config(?, ?, false), ".repeat(settings.size()) + "1";
            new SqlCall(all, parameters.toArray()).rows(connection, row -> 1);
        }
    }
}
