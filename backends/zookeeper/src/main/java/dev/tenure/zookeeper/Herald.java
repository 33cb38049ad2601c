package dev.tenure.zookeeper;

import dev.tenure.zookeeper.wire.Event;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Watches the latch right in front of an own one. When that has gone, somebody waits for the proof that it is the own one's
 * turn: so it is asked for right here, on the thread that hears it, and the loop hears of it with the answer. Where
 * thousands go at once, the loop asks for them together.
 */
final class Herald implements Consumer<Event> {
    private final SessionScene scene;
    private final Stand stand;
    private final Mine own;

    Herald(SessionScene scene, Stand stand, Mine own) {
        this.scene = scene;
        this.stand = stand;
        this.own = own;
    }

    @Override
    public void accept(Event event) {
        if (event.type() != Event.Type.DELETED) {
            scene.host().post(() -> stand.changedInFront(own));
            return;
        }
        String election = stand.path();
        Optional<CompletableFuture<Moment>> ahead = scene.traffic().looks().ahead(election, own.path(election));
        if (ahead.isPresent()) {
            Aside.run(ahead.get().whenComplete((moment, failure) -> stand.cameForward(own, ahead.get())));
        } else {
            scene.host().post(() -> stand.cameForward(own));
        }
    }
}
