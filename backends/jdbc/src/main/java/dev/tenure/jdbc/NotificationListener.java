package dev.tenure.jdbc;

import dev.tenure.spi.Host;
import dev.tenure.spi.Redactor;
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
 * LISTEN on a connection and a thread of its own, begun with the first who wants to hear. What is announced while there is no
 * connection is not heard: whoever hears is told from when on it does. Any thread.
 */
public final class NotificationListener {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** After so long without a word the connection is tried: a link that broke silently brings none. */
    private static final int QUIET_MILLIS_MAX = 10_000;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** So often somebody looks whether a table that was missing has been made. */
    private static final long UNMADE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Opening opening;
    private final NotifyChannel channel;
    private final Host host;
    private final Receiver receiver;
    private final Host.Signal closed;
    private Optional<Connection> listening = Optional.empty();
    private boolean started;

    /** How a physical connection of its own is made. */
    public interface Opening {
        Connection open() throws SQLException;
    }

    /** Called on the thread that listens. */
    public interface Receiver {
        /** There is a new connection, on which nothing is heard yet. */
        default void connected(Connection connection) throws SQLException {}

        /** From here on it hears; before, it may have missed something. */
        void resumed(Connection connection);

        void received(String text);
    }

    public NotificationListener(Opening opening, NotifyChannel channel, Host host, Receiver receiver) {
        this.opening = opening;
        this.channel = channel;
        this.host = host;
        this.receiver = receiver;
        this.closed = host.signal();
    }

    /** The first time; then it listens already. */
    public synchronized void start() {
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

    private void listen() throws InterruptedException {
        try (Connection connection = opening.open()) {
            if (!keep(connection)) {
                return;
            }
            receiver.connected(connection);
            Optional<String> name;
            do {
                name = channel.find(connection);
            } while (name.isEmpty() && !closed.await(UNMADE_NANOS));
            if (name.isPresent()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("LISTEN \"" + name.get() + "\"");
                }
                receiver.resumed(connection);
                hear(connection, name);
            }
        } catch (SQLException | RuntimeException broken) { // also a file with the password that is just being replaced
            Throwable shown = Redactor.withoutKnown().failure(broken);
            LOG.log(Level.DEBUG, "not notified for a moment, only polling", shown);
        }
    }

    /** As long as the connection lives and the table is the same: one that was made anew has another channel. */
    private void hear(Connection connection, Optional<String> name) throws SQLException {
        PGConnection notified = connection.unwrap(PGConnection.class);
        boolean whole = true;
        while (whole && !closed.isSet()) {
            PGNotification[] heard = notified.getNotifications(QUIET_MILLIS_MAX);
            if (heard != null && heard.length > 0) {
                for (PGNotification notification : heard) {
                    receiver.received(notification.getParameter());
                }
            } else {
                whole = connection.isValid(QUIET_MILLIS_MAX / 1000)
                        && channel.find(connection).equals(name);
            }
        }
    }

    private synchronized boolean keep(Connection connection) {
        listening = Optional.of(connection);
        return !closed.isSet();
    }

    public synchronized void close() {
        closed.set();
        listening.ifPresent(connection -> {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException gone) {
                LOG.log(Level.DEBUG, "the listening connection could not be closed", gone);
            }
        });
    }
}
