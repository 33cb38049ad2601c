package dev.tenure.jdbc;

import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Hint;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * LISTEN on a connection and a thread of its own, begun with the first watch. What is announced while there is no connection
 * is not heard: the poll makes up for it.
 */
final class PostgresNotices implements Notices {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** After so long without a word the connection is tried: a link that broke silently brings none. */
    private static final int QUIET_MILLIS_MAX = 10_000;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How a physical connection of its own is made. */
    interface Opening {
        Connection open() throws SQLException;
    }

    private final Opening opening;
    private final Channel channel;
    private final String keys;
    private final Host host;
    private final Host.Signal closed;
    private final Subscribers subscribers = new Subscribers();
    private Optional<Connection> listening = Optional.empty();
    private boolean started;
    private volatile boolean pooled;

    PostgresNotices(Opening opening, JdbcOptions options, Host host) {
        this.opening = opening;
        this.channel = new Channel(options.table());
        this.keys = "SELECT id FROM " + options.table() + " WHERE id NOT LIKE 's/%'";
        this.host = host;
        this.closed = host.signal();
    }

    @Override
    public Watch watch(String prefix, Consumer<Hint> hint) {
        Watch watch = subscribers.add(prefix, hint);
        start();
        return watch;
    }

    @Override
    public Wakeup wakeup() {
        return pooled ? Wakeup.POLL : Wakeup.WATCH;
    }

    private synchronized void start() {
        if (!started && !closed.isSet()) {
            started = true;
            host.perform("tenure-listen", this::listenUntilClosed);
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

    private void listen() {
        try (Connection connection = opening.open()) {
            if (!keep(connection)) {
                return;
            }
            PGConnection notified = connection.unwrap(PGConnection.class);
            lookForPooler(connection, notified);
            Optional<String> name = channel.find(connection);
            if (name.isEmpty()) {
                return;
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("LISTEN \"" + name.get() + "\"");
            }
            hintAll(connection);
            while (!closed.isSet()) {
                PGNotification[] heard = notified.getNotifications(QUIET_MILLIS_MAX);
                if (heard != null) {
                    for (PGNotification notification : heard) {
                        subscribers.hint(hintOf(notification));
                    }
                }
                boolean quiet = heard == null || heard.length == 0;
                if (quiet
                        && !(connection.isValid(QUIET_MILLIS_MAX / 1000)
                                && channel.find(connection).equals(name))) {
                    return;
                }
            }
        } catch (SQLException | RuntimeException broken) { // also a file with the password that is just being replaced
            LOG.log(Level.DEBUG, "not notified for a moment, only polling", broken);
        }
    }

    /** What came through a pooler may have waited there while another server took over: then it tells no more than a key. */
    private Hint hintOf(PGNotification notification) {
        Hint hint = Announcement.read(notification.getParameter());
        return pooled ? Hint.of(hint.key()) : hint;
    }

    /** What changed before anybody listened was announced to nobody; so it is looked at once more. */
    private void hintAll(Connection connection) {
        subscribers.hintOfAnything();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(keys)) {
            while (rows.next()) {
                subscribers.hint(Hint.of(rows.getString(1)));
            }
        } catch (SQLException missing) {
            LOG.log(Level.DEBUG, "no table yet, so nothing was missed", missing);
        }
    }

    /**
     * If a pooler changes servers between transactions, the one that listens is soon not ours any more; what comes through
     * all the same is welcome, but not relied on.
     */
    private void lookForPooler(Connection connection, PGConnection notified) throws SQLException {
        boolean found = PostgresPooler.isBetween(notified, connection);
        if (found && !pooled) {
            LOG.log(
                    Level.WARNING,
                    "a pooler stands before PostgreSQL, so that notifications may be lost: polling (name the server itself"
                            + " in the URL to be notified)");
        }
        pooled = found;
    }

    private synchronized boolean keep(Connection connection) {
        listening = Optional.of(connection);
        return !closed.isSet();
    }

    @Override
    public synchronized void close() {
        closed.set();
        subscribers.close();
        listening.ifPresent(connection -> {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException gone) {
                LOG.log(Level.DEBUG, "the listening connection could not be closed", gone);
            }
        });
    }
}
