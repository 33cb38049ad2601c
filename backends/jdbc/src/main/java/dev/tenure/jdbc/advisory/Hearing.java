package dev.tenure.jdbc.advisory;

import dev.tenure.jdbc.Channel;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * LISTEN on a connection and a thread of its own, begun with the first who wants to hear. What is announced while there is no
 * connection is not heard: those who listen are told of that.
 */
final class Hearing {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** After so long without a word the connection is tried: a link that broke silently brings none. */
    private static final int QUIET_MILLIS_MAX = 10_000;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Switchboard switchboard;
    private final Channel channel;
    private final Host host;
    private final Host.Signal closed;
    private final List<Ear> ears = new CopyOnWriteArrayList<>();
    private Optional<Connection> listening = Optional.empty();
    private boolean started;

    /** Called on the thread that hears. */
    interface Listener {
        void heard(Notice notice);

        /** From here on it hears; before, it may have missed something. */
        default void resumed() {}
    }

    Hearing(Switchboard switchboard, Channel channel, Host host) {
        this.switchboard = switchboard;
        this.channel = channel;
        this.host = host;
        this.closed = host.signal();
    }

    Watch add(Listener listener) {
        Ear ear = new Ear(listener);
        ears.add(ear);
        start();
        return () -> {
            ears.remove(ear);
            ear.close();
        };
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
        try (Connection connection = switchboard.openListening()) {
            if (!keep(connection)) {
                return;
            }
            Optional<String> name = channel.find(connection);
            if (name.isEmpty()) {
                return;
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("LISTEN \"" + name.get() + "\"");
            }
            ears.forEach(Ear::resumed);
            PGConnection notified = connection.unwrap(PGConnection.class);
            while (!closed.isSet()) {
                PGNotification[] heard = notified.getNotifications(QUIET_MILLIS_MAX);
                if (heard != null) {
                    for (PGNotification notification : heard) {
                        Notice.of(notification.getParameter())
                                .ifPresent(notice -> ears.forEach(ear -> ear.heard(notice)));
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

    private synchronized boolean keep(Connection connection) {
        listening = Optional.of(connection);
        return !closed.isSet();
    }

    synchronized void close() {
        closed.set();
        ears.forEach(Ear::close);
        listening.ifPresent(connection -> {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException gone) {
                LOG.log(Level.DEBUG, "the listening connection could not be closed", gone);
            }
        });
    }

    private static final class Ear {
        private final Listener listener;
        private boolean closed;

        Ear(Listener listener) {
            this.listener = listener;
        }

        // Under a monitor of its own, because nothing may be told after close() has returned.
        synchronized void heard(Notice notice) {
            if (!closed) {
                guarded(() -> listener.heard(notice));
            }
        }

        synchronized void resumed() {
            if (!closed) {
                guarded(listener::resumed);
            }
        }

        private static void guarded(Runnable telling) {
            try {
                telling.run();
            } catch (RuntimeException failure) {
                LOG.log(Level.WARNING, "somebody who listens failed on a hint", failure);
            }
        }

        synchronized void close() {
            closed = true;
        }
    }
}
