package dev.tenure.zookeeper;

import dev.tenure.wire.Reactor;
import dev.tenure.zookeeper.wire.Wire;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** Every client of one backend, and the thread on which all of them hear; so that the last one out can turn it off. Any thread. */
final class Wires {
    private final Set<Wire> all = ConcurrentHashMap.newKeySet();
    private Optional<Reactor> reactor = Optional.empty();
    private boolean closed;

    /** Begins to wait for the network at the first use. */
    synchronized Reactor reactor(Executor threads) {
        if (reactor.isEmpty()) {
            Reactor opened = Reactor.open();
            reactor = Optional.of(opened);
            if (closed) {
                opened.close();
            } else {
                threads.execute(opened);
            }
        }
        return reactor.get();
    }

    synchronized void add(Wire wire) {
        all.removeIf(Wire::isOver);
        all.add(wire);
        if (closed) {
            wire.vanish();
        }
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Says nothing to the servers: sessions lapse in their own time, with whatever they hold. */
    synchronized void close() {
        closed = true;
        all.forEach(Wire::vanish);
        all.clear();
        reactor.ifPresent(Reactor::close);
    }
}
