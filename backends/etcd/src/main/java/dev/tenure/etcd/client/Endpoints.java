package dev.tenure.etcd.client;

import java.net.URI;
import java.util.List;

/** The servers of one cluster, and the one that is used now. Safe for any thread. */
final class Endpoints {
    private final List<URI> all;
    private int current;

    /** @param seed spreads clients over the servers */
    Endpoints(List<URI> all, long seed) {
        this.all = List.copyOf(all);
        this.current = (int) Long.remainderUnsigned(seed, all.size());
    }

    synchronized URI current() {
        return all.get(current);
    }

    int size() {
        return all.size();
    }

    /** This one failed. Many calls may have failed on it together: only the first of them moves on. */
    synchronized void leave(URI failed) {
        if (failed.equals(current())) {
            current = (current + 1) % all.size();
        }
    }
}
