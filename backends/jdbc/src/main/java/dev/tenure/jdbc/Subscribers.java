package dev.tenure.jdbc;

import dev.tenure.spi.Watch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Who wants to hear of which keys. Safe for any thread. */
final class Subscribers {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final List<Subscriber> all = new CopyOnWriteArrayList<>();

    Watch add(String prefix, Consumer<String> changedKey) {
        Subscriber subscriber = new Subscriber(prefix, changedKey);
        all.add(subscriber);
        return () -> {
            all.remove(subscriber);
            subscriber.close();
        };
    }

    void hint(String key) {
        all.forEach(subscriber -> subscriber.hint(key));
    }

    /** To each its own prefix: any of its keys may have changed. */
    void hintOfAnything() {
        all.forEach(subscriber -> subscriber.hint(subscriber.prefix));
    }

    void close() {
        all.forEach(Subscriber::close);
        all.clear();
    }

    private static final class Subscriber {
        private final String prefix;
        private final Consumer<String> changedKey;
        private boolean closed;

        Subscriber(String prefix, Consumer<String> changedKey) {
            this.prefix = prefix;
            this.changedKey = changedKey;
        }

        // Under a monitor of its own, because no hint may start after close() has returned.
        synchronized void hint(String key) {
            if (closed || !key.startsWith(prefix)) {
                return;
            }
            try {
                changedKey.accept(key);
            } catch (RuntimeException failure) {
                LOG.log(Level.WARNING, "a watcher of '" + prefix + "' failed on a hint", failure);
            }
        }

        synchronized void close() {
            closed = true;
        }
    }
}
