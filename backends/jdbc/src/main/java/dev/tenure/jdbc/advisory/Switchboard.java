package dev.tenure.jdbc.advisory;

import dev.tenure.jdbc.PostgresPlace;
import dev.tenure.spi.Host;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.postgresql.PGConnection;

/** Makes connections: each to the server itself, and each with the settings by which the server gets rid of a dead client. */
final class Switchboard {
    private static final int VERSION_MIN = 140_000;
    /** So often the server looks after the client of somebody who waits for a lock. */
    private static final long CHECK_MILLIS_MAX = 1000;

    private final PostgresPlace place;
    private final Trouble trouble;
    private final Host host;

    Switchboard(PostgresPlace place, Trouble trouble, Host host) {
        this.place = place;
        this.trouble = trouble;
        this.host = host;
    }

    /** For those who only look. Blocks. */
    Line open() throws SQLException {
        Connection connection = connect(place.options().timeout());
        try {
            return new Line(connection, identify(connection), host, trouble);
        } catch (SQLException | RuntimeException failure) {
            end(connection);
            throw failure;
        }
    }

    /**
     * For a session: the server ends it when nothing was said on it for this time, and with it go its locks. Blocks.
     *
     * @param ttl also the limit for an answer: what comes later is of no use
     */
    Line open(Duration ttl) throws SQLException {
        Connection connection = connect(place.options().timeout());
        try {
            Line.Identity identity = identify(connection);
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(ttl.toMillis()));
            set(connection, settings(ttl.toMillis()));
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_lock(" + identity.key() + ")");
            }
            return new Line(connection, identity, host, trouble);
        } catch (SQLException | RuntimeException failure) {
            end(connection);
            throw failure;
        }
    }

    /** One that hears what is announced. Blocks. */
    Connection openListening() throws SQLException {
        return place.open(limits(place.options().timeout()));
    }

    private Connection connect(Duration timeout) throws SQLException {
        Connection connection = place.open(limits(timeout));
        try {
            connection.setAutoCommit(true);
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(timeout.toMillis()));
            return connection;
        } catch (SQLException | RuntimeException failure) {
            end(connection);
            throw failure;
        }
    }

    /** In seconds, and rounded up: 0 would mean without end. */
    private static Map<String, String> limits(Duration timeout) {
        String seconds = Long.toString(timeout.plusMillis(999).toSeconds());
        Map<String, String> limits = new HashMap<>();
        limits.put("connectTimeout", seconds);
        limits.put("socketTimeout", seconds);
        limits.put("tcpKeepAlive", "true");
        limits.put("ApplicationName", "tenure");
        return limits;
    }

    /**
     * A pooler tells each client of a server process that it made up; the process that answers is another. Later each heartbeat
     * proves that it is still the same one.
     */
    private Line.Identity identify(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT " + Statements.IDENTITY
                        + ", current_setting('server_version_num')::int, pg_is_in_recovery()"
                        + " OR current_setting('transaction_read_only') = 'on'")) {
            rows.next();
            int told = connection.unwrap(PGConnection.class).getBackendPID();
            int pid = rows.getInt(1);
            if (told != pid) {
                throw trouble.pooler(told, pid);
            }
            if (rows.getInt(3) < VERSION_MIN) {
                throw trouble.tooOld(rows.getInt(3));
            }
            if (rows.getBoolean(4)) {
                throw trouble.readOnly();
            }
            return new Line.Identity(pid, rows.getLong(2), host.random());
        }
    }

    /** How many locks one session may have: a server has a table for those of all sessions, made when it starts. */
    static int lockRoom(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT current_setting('max_locks_per_transaction')::bigint"
                        + " * (current_setting('max_connections')::bigint"
                        + " + current_setting('max_prepared_transactions')::bigint) * 9 / 10")) {
            rows.next();
            return (int) Math.min(Integer.MAX_VALUE, rows.getLong(1));
        }
    }

    /** In ms. A row that somebody else keeps for himself must not keep the heartbeat from its turn. */
    static String lockTimeout(long ttlMillis) {
        return Long.toString(Math.max(50, ttlMillis / 8));
    }

    private static Map<String, String> settings(long ttlMillis) {
        String ttl = Long.toString(ttlMillis);
        Map<String, String> settings = new HashMap<>();
        settings.put("idle_session_timeout", ttl);
        settings.put("idle_in_transaction_session_timeout", ttl);
        settings.put("tcp_user_timeout", ttl);
        settings.put("tcp_keepalives_idle", Long.toString(Math.max(1, ttlMillis / 4000)));
        settings.put("tcp_keepalives_interval", "1");
        settings.put("tcp_keepalives_count", "3");
        settings.put("client_connection_check_interval", Long.toString(Math.min(CHECK_MILLIS_MAX, ttlMillis / 2)));
        settings.put("lock_timeout", lockTimeout(ttlMillis));
        settings.put("statement_timeout", "0");
        settings.put("default_transaction_isolation", "read committed");
        return settings;
    }

    static void set(Connection connection, Map<String, String> settings) throws SQLException {
        String all = "SELECT " + "set_config(?, ?, false), ".repeat(settings.size()) + "1";
        try (PreparedStatement statement = connection.prepareStatement(all)) {
            int at = 1;
            for (Map.Entry<String, String> setting : settings.entrySet()) {
                statement.setString(at++, setting.getKey());
                statement.setString(at++, setting.getValue());
            }
            statement.executeQuery().close();
        }
    }

    private static void end(Connection connection) throws SQLException {
        connection.abort(Runnable::run);
    }
}
