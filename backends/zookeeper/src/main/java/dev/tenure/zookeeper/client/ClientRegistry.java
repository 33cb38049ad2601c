package dev.tenure.zookeeper.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Every client of one backend that may have threads, so that closing the backend ends them all. Any thread. */
public final class ClientRegistry {
    private final Set<KeeperClient> all = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    void add(KeeperClient client) {
        all.removeIf(past -> !past.getState().isAlive());
        all.add(client);
        if (closed) {
            client.leave();
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Sends nothing to the servers: sessions lapse in their own time, with everything they hold. */
    public void close() {
        closed = true;
        all.forEach(KeeperClient::leave);
        all.clear();
    }
}
