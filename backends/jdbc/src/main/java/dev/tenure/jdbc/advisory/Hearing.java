package dev.tenure.jdbc.advisory;

import dev.tenure.jdbc.Channel;
import dev.tenure.jdbc.Listening;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What is announced of elections, for all who want to hear it. */
final class Hearing implements Listening.Ear {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final Listening listening;
    private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();

    /** Called on the thread that hears. */
    interface Listener {
        void heard(Notice notice);

        /** From here on it hears; before, it may have missed something. */
        default void resumed() {}
    }

    Hearing(Switchboard switchboard, Channel channel, Host host) {
        this.listening = new Listening(switchboard::openListening, channel, host, this);
    }

    Watch add(Listener listener) {
        Subscriber subscriber = new Subscriber(listener);
        subscribers.add(subscriber);
        listening.start();
        return () -> {
            subscribers.remove(subscriber);
            subscriber.close();
        };
    }

    @Override
    public void resumed(Connection connection) {
        subscribers.forEach(Subscriber::resumed);
    }

    @Override
    public void heard(String text) {
        Notice.of(text).ifPresent(notice -> subscribers.forEach(one -> one.heard(notice)));
    }

    void close() {
        subscribers.forEach(Subscriber::close);
        listening.close();
    }

    private static final class Subscriber {
        private final Listener listener;
        private boolean closed;

        Subscriber(Listener listener) {
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
