package dev.tenure.etcd;

import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The servers of one cluster, and the one that is used now. All calls go to one server, so that a silent one is noticed by
 * whichever call meets it first, and then left by all. Safe for any thread.
 */
final class Endpoints {
    private final List<URI> all;
    /** Closing a client, on whatever thread, takes its listeners away. */
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    private volatile int current;

    /** @param seed spreads clients over the servers */
    Endpoints(List<URI> all, long seed) {
        this.all = List.copyOf(all);
        this.current = (int) Long.remainderUnsigned(seed, all.size());
    }

    URI current() {
        return all.get(current);
    }

    int size() {
        return all.size();
    }

    /** This one failed. Many calls may have failed on it together: only the first of them moves on. */
    synchronized void leave(URI failed) {
        if (all.size() > 1 && failed.equals(current())) {
            current = (current + 1) % all.size();
            listeners.forEach(Runnable::run);
        }
    }

    void whenLeft(Runnable listener) {
        listeners.add(listener);
    }

    void forget(Runnable listener) {
        listeners.remove(listener);
    }
}
