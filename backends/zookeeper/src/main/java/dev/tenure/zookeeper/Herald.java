package dev.tenure.zookeeper;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/**
 * Watches the latch right in front of an own one. When that has gone, somebody waits for the proof that it is the own one's
 * turn: so it is asked for right here, on the thread of ZooKeeper's client, and the loop hears of it with the answer. Where
 * thousands go at once, the loop asks for them together.
 */
final class Herald implements Watcher {
    private final SessionScene scene;
    private final Stand stand;
    private final String own;

    Herald(SessionScene scene, Stand stand, String own) {
        this.scene = scene;
        this.stand = stand;
        this.own = own;
    }

    /** A claim that is repeated watches the same latch again, and wants to hear of it once. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Herald herald && herald.stand == stand && herald.own.equals(own);
    }

    @Override
    public int hashCode() {
        return own.hashCode();
    }

    @Override
    public void process(WatchedEvent event) {
        if (event.getType() == Event.EventType.None) {
            return;
        }
        Optional<CompletableFuture<Moment>> ahead = scene.traffic().looks().ahead(Layout.parent(own), own);
        if (ahead.isPresent()) {
            Aside.run(ahead.get().whenComplete((moment, failure) -> stand.cameForward(own, ahead.get())));
        } else {
            scene.host().post(() -> stand.cameForward(own));
        }
    }
}
