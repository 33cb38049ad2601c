package dev.tenure.zookeeper;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Every client of one backend that may have threads, so that the last one out can turn them off. Any thread. */
final class Wires {
    private final Set<Wire> all = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    void add(Wire wire) {
        all.removeIf(past -> !past.getState().isAlive());
        all.add(wire);
        if (closed) {
            wire.vanish();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Says nothing to the servers: sessions lapse in their own time, with whatever they hold. */
    void close() {
        closed = true;
        all.forEach(Wire::vanish);
        all.clear();
    }
}
