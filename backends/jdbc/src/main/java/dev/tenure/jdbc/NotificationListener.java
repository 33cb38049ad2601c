// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.Redactor;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * LISTEN on a connection and a thread of its own, for all receivers. What is announced while there is no connection
 * is not received: each receiver is notified of the moment from which on it receives. Any thread.
 */
public final class NotificationListener {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** After so long without a notification the connection is tried: a link that broke silently brings none. */
    private static final int QUIET_MILLIS_MAX = 10_000;
    /** A table is rarely made anew, and the session that is opened again then reports it. */
    private static final int QUIETS_PER_LOOK = 30;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** So often this thread checks whether a table that was missing has been made. */
    private static final long UNMADE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Opening opening;
    private final Channel channel;
    private final Host host;
    private final WatchRegistry<Receiver> receivers = new WatchRegistry<>();
    private final Host.Signal closed;
    private Optional<Connection> listening = Optional.empty();
    private boolean started;
    private volatile boolean unsure;

    /** How a physical connection of its own is made. */
    public interface Opening {
        Connection open() throws SQLException;
    }

    /**
     * Where changes of a table of PostgreSQL are announced. A channel belongs to the whole database, in which tables of one name
     * may stand in many schemas. So it is named by the number that the server has given to this very table, whether its schema
     * was named or is the one where the session finds it first. The name has 58 characters at most, of 63 that it may have.
     *
     * @param table as statements have it: with its schema or without, and {@link JdbcOptions} has checked both names
     */
    public record Channel(String table) {
        /** For statements that announce: an expression, which the server works out when it plans them. */
        public String expression() {
            return "'" + beginning() + "' || '" + table + "'::regclass::oid::text";
        }

        /** For those who listen; empty as long as there is no such table. */
        public Optional<String> find(Connection connection) throws SQLException {
            String query = "SELECT '" + beginning() + "' || to_regclass('" + table + "')::oid::text";
            return new SqlCall(query)
                    .first(connection, row -> Optional.ofNullable(row.getString(1)))
                    .flatMap(name -> name);
        }

        private String beginning() {
            return table.substring(table.indexOf('.') + 1) + "_";
        }
    }

    /** Called on the thread that listens. */
    public interface Receiver {
        /** There is a new connection, on which nothing is heard yet. */
        default void connected(Connection connection) {}

        /** From here on it hears; before, it may have missed something. */
        default void resumed(Connection connection) {}

        void received(String text);
    }

    public NotificationListener(Opening opening, Channel channel, Host host) {
        this.opening = opening;
        this.channel = channel;
        this.host = host;
        this.closed = host.signal();
    }

    /** Tells this one too, as soon as it is started. */
    public Watch add(Receiver receiver) {
        return receivers.add(receiver);
    }

    /** The first time; then it listens already, and makes sure that it is still the right table. */
    public synchronized void start() {
        unsure = true;
        if (!started && !closed.isSet()) {
            started = true;
            host.runDuty("tenure-listen", this::listenUntilClosed);
        }
    }

    private void listenUntilClosed() {
        try {
            while (!closed.isSet()) {
                listen();
                closed.await(PAUSE_NANOS);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void listen() throws InterruptedException {
        try (Connection connection = opening.open()) {
            if (!keep(connection)) {
                return;
            }
            receivers.publish(receiver -> receiver.connected(connection));
            Optional<String> name;
            do {
                name = channel.find(connection);
            } while (name.isEmpty() && !closed.await(UNMADE_NANOS));
            if (name.isPresent()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("LISTEN \"" + name.get() + "\"");
                }
                receivers.publish(receiver -> receiver.resumed(connection));
                receive(connection, name);
            }
        } catch (SQLException | RuntimeException broken) { // also a file with the password that is just being replaced
            Throwable shown = Redactor.withoutKnown().failure(broken);
            LOG.log(Level.DEBUG, "not notified for a moment, only polling", shown);
        }
    }

    /** As long as the connection lives and the table is the same: one that was made anew has another channel. */
    private void receive(Connection connection, Optional<String> name) throws SQLException {
        PGConnection notified = connection.unwrap(PGConnection.class);
        boolean whole = true;
        int quiets = 0;
        while (whole && !closed.isSet()) {
            PGNotification[] heard = notified.getNotifications(QUIET_MILLIS_MAX);
            if (heard != null && heard.length > 0) {
                for (PGNotification notification : heard) {
                    receivers.publish(receiver -> receiver.received(notification.getParameter()));
                }
            } else {
                quiets++;
                boolean looks = unsure || quiets % QUIETS_PER_LOOK == 0;
                unsure = false;
                whole = looks ? channel.find(connection).equals(name) : connection.isValid(QUIET_MILLIS_MAX / 1000);
            }
        }
    }

    private synchronized boolean keep(Connection connection) {
        listening = Optional.of(connection);
        return !closed.isSet();
    }

    public void close() {
        disconnect();
        receivers.close(); // waits for one that is being told, which may have asked something on the connection
    }

    private synchronized void disconnect() {
        closed.set();
        listening.ifPresent(connection -> {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException gone) {
                LOG.log(Level.DEBUG, "the listening connection could not be closed", gone);
            }
        });
    }

    /** What is announced of records. What is not heard while there is no connection, the poll makes up for. */
    static final class PostgresNotifications implements Receiver, AutoCloseable {
        private final WatchRegistry<KeyWatcher> watchers;
        private final String keys;
        private final NotificationListener listener;
        private volatile boolean pooled;

        PostgresNotifications(Opening opening, JdbcOptions options, Host host, WatchRegistry<KeyWatcher> watchers) {
            this.watchers = watchers;
            this.keys = "SELECT id FROM " + options.table() + " WHERE expires IS NULL";
            this.listener = new NotificationListener(opening, new Channel(options.table()), host);
            listener.add(this);
        }

        void start() {
            listener.start();
        }

        /** How one hears, as far as is known by now. */
        Wakeup wakeup() {
            return pooled ? Wakeup.POLL : Wakeup.WATCH;
        }

        /**
         * If a pooler changes servers between transactions, the one that listens is soon not ours any more; what comes through
         * all the same is welcome, but not relied on.
         */
        @Override
        public void connected(Connection connection) {
            boolean found;
            try {
                found = PostgresDialect.isBehindPooler(connection);
            } catch (SQLException broken) {
                Connections.end(connection); // nobody listens on it, so another one is tried
                return;
            }
            if (found && !pooled) {
                LOG.log(
                        Level.WARNING,
                        "a pooler stands before PostgreSQL, so that notifications may be lost: polling (name the server itself"
                                + " in the URL to be notified)");
            }
            pooled = found;
        }

        /** What changed before anybody listened was announced to nobody; so it is looked at once more. */
        @Override
        public void resumed(Connection connection) {
            watchers.publish(KeyWatcher::anyChanged);
            try {
                new SqlCall(keys).rows(connection, row -> row.getString(1)).forEach(this::received);
            } catch (SQLException missing) {
                LOG.log(Level.DEBUG, "no table any more, so nothing was missed", missing);
            }
        }

        @Override
        public void received(String key) {
            watchers.publish(watcher -> watcher.changed(key));
        }

        @Override
        public void close() {
            listener.close();
        }
    }
}
