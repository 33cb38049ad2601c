package dev.tenure.postgres.advisory;

import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.jdbc.SqlCall;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.BlockingCalls;
import dev.tenure.spi.support.StoreUrl;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.postgresql.PGConnection;

/** Makes connections: each to the server itself, and each with the settings by which the server gets rid of a dead client. */
final class ConnectionFactory {
    private static final int VERSION_MIN = 140_000;
    /** So often the server looks after the client of somebody who waits for a lock. */
    private static final long CHECK_MILLIS_MAX = 1000;

    private final JdbcTarget target;
    private final AdvisoryErrors errors;
    private final Host host;

    ConnectionFactory(JdbcTarget target, AdvisoryErrors errors, Host host) {
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
            LockConnection.Identity identity = identify(connection);
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
    private LockConnection.Identity identify(Connection connection) throws SQLException {
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
                    return new LockConnection.Identity(pid, row.getLong(2), host.random());
                })
                .orElseThrow();
    }

    /** How many locks one session may have: a server has a table for those of all sessions, made when it starts. */
    static int lockRoom(Connection connection) throws SQLException {
        String query = "SELECT least(" + Integer.MAX_VALUE + ", current_setting('max_locks_per_transaction')::bigint"
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
                Map.entry("client_connection_check_interval", Long.toString(Math.min(CHECK_MILLIS_MAX, ttlMillis / 2))),
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

    /** For those who look and ask without a session: one connection, made when it is needed. Any thread. */
    final class Observer {
        private final LockConnection.Work<?> setup;
        private final BlockingCalls calls = new BlockingCalls(host.io(), 1);
        private volatile Optional<LockConnection> current = Optional.empty();
        private volatile boolean closed;

        /** @param setup done on a new connection before anything else */
        Observer(LockConnection.Work<?> setup) {
            this.setup = setup;
        }

        <T> CompletableFuture<T> ask(LockConnection.Work<T> work) {
            return calls.call(() -> {
                try {
                    return connected().now(work);
                } catch (SQLException failure) {
                    throw errors.maybeAfterEffect(failure);
                }
            });
        }

        private LockConnection connected() {
            Optional<LockConnection> known = current.filter(open -> !open.isEnded());
            if (known.isPresent()) {
                return known.get();
            }
            try {
                LockConnection fresh = open(Optional.empty());
                current = Optional.of(fresh);
                if (closed) {
                    fresh.end("closed");
                }
                try {
                    fresh.now(setup);
                } catch (SQLException | RuntimeException failure) {
                    fresh.end("of no use");
                    throw failure;
                }
                return fresh;
            } catch (SQLException failure) {
                throw errors.beforeAnyEffect(failure);
            }
        }

        void close() {
            closed = true;
            calls.close();
            current.ifPresent(open -> open.end("closed"));
        }
    }
}
