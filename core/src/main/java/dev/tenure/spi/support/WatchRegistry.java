// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.spi.Watch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The watchers of a store: each is notified until its {@link Watch} is closed, and nothing begins after that. Any thread.
 *
 * @param <L> how one is notified; {@link KeyWatcher} for a {@link dev.tenure.spi.LeaseStore}
 */
public final class WatchRegistry<L> {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final List<Entry<L>> all = new CopyOnWriteArrayList<>();

    /** Is notified of keys with this prefix. */
    public record KeyWatcher(String prefix, Consumer<String> changedKey) {
        /** Notifies of this key if it begins with the prefix that is watched. */
        public void changed(String key) {
            if (key.startsWith(prefix)) {
                changedKey.accept(key);
            }
        }

        /** Notified by its own prefix. */
        public void anyChanged() {
            changedKey.accept(prefix);
        }
    }

    /** Adds a listener, until the watch that is returned is closed. */
    public Watch add(L listener) {
        Entry<L> entry = new Entry<>(listener);
        all.add(entry);
        return () -> {
            all.remove(entry);
            entry.close();
        };
    }

    /** One that fails does not keep the others from being notified. */
    public void publish(Consumer<L> telling) {
        all.forEach(entry -> entry.deliver(telling));
    }

    /** Is there such a listener? */
    public boolean anyMatch(Predicate<L> test) {
        return all.stream().anyMatch(entry -> test.test(entry.listener));
    }

    /** Drops every listener; nothing is reported from now on. */
    public void close() {
        all.forEach(Entry::close);
        all.clear();
    }

    private static final class Entry<L> {
        private final L listener;
        private boolean closed;

        Entry(L listener) {
            this.listener = listener;
        }

        // Under a monitor of its own, because nothing may be reported after close() has returned.
        synchronized void deliver(Consumer<L> telling) {
            if (closed) {
                return;
            }
            try {
                telling.accept(listener);
            } catch (RuntimeException failure) {
                LOG.log(Level.WARNING, "a watcher failed on a change that it was told", failure);
            }
        }

        synchronized void close() {
            closed = true;
        }
    }
}
