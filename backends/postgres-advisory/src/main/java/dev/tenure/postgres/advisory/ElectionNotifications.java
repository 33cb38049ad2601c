package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.NotificationListener;
import dev.tenure.jdbc.NotifyChannel;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.WatchRegistry;
import java.sql.Connection;
import java.util.Optional;

/** What is announced of elections, for all who want to hear it. */
final class ElectionNotifications implements NotificationListener.Receiver {
    private final NotificationListener listener;
    private final WatchRegistry<Listener> listeners = new WatchRegistry<>();

    /** What is announced on the channel. */
    sealed interface Notification {
        /** {@code c <connection> <election>}: it has a new holder. */
        record Claimed(ElectionName election, long connectionKey) implements Notification {}

        /** {@code r <election>}: it is vacant. */
        record Released(ElectionName election) implements Notification {}

        /** {@code o <election>}: an operator wants something of its holder. */
        record Requested(ElectionName election) implements Notification {}

        /** {@code e }: tokens begin with another era. */
        record EraRaised() implements Notification {}

        /** Empty for what somebody else has announced there. */
        static Optional<Notification> of(String text) {
            String[] words = text.split(" ", -1);
            try {
                return switch (words[0]) {
                    case "c" -> Optional.of(new Claimed(ElectionName.decode(words[2]), Long.parseLong(words[1])));
                    case "r" -> Optional.of(new Released(ElectionName.decode(words[1])));
                    case "o" -> Optional.of(new Requested(ElectionName.decode(words[1])));
                    case "e" -> Optional.of(new EraRaised());
                    default -> Optional.empty();
                };
            } catch (IllegalArgumentException | IndexOutOfBoundsException foreign) {
                return Optional.empty();
            }
        }
    }

    /** Called on the thread that listens. */
    interface Listener {
        void received(Notification notification);

        /** From here on it hears; before, it may have missed something. */
        default void resumed() {}
    }

    ElectionNotifications(NotificationListener.Opening opening, NotifyChannel channel, Host host) {
        this.listener = new NotificationListener(opening, channel, host, this);
    }

    Watch add(Listener one) {
        Watch watch = listeners.add(one);
        listener.start();
        return watch;
    }

    @Override
    public void resumed(Connection connection) {
        listeners.tell(Listener::resumed);
    }

    @Override
    public void received(String text) {
        Notification.of(text).ifPresent(notification -> listeners.tell(one -> one.received(notification)));
    }

    void close() {
        listeners.close();
        listener.close();
    }
}
