package dev.tenure.zookeeper;

import dev.tenure.zookeeper.wire.Event;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Watches the latch right in front of an own one. When that has gone, somebody waits for the proof that it is the own one's
 * turn: so it is asked for right here, on the thread that hears it, and the loop hears of it with the answer. Where
 * thousands go at once, the loop asks for them together.
 */
final class Herald implements Consumer<Event>, Looks.Onlooker {
    private final SessionScene scene;
    private final Stand stand;
    private final Mine own;
    /** Only on the thread that hears. */
    private Optional<Sought> sought = Optional.empty();

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
        Looks looks = scene.traffic().looks();
        String election = Layout.parent(event.path());
        boolean ahead = !looks.areUnderWay() && looks.ahead(election, own.path(election), this);
        if (ahead) {
            sought = Optional.of(Sought.of(own)); // while the answer is under way
        } else {
            scene.host().post(() -> stand.cameForward(own));
        }
    }

    @Override
    public void saw(Moment moment) {
        Sought first = sought.orElseGet(() -> Sought.of(own));
        scene.host().post(() -> stand.cameForward(first, moment));
    }

    @Override
    public void failed(RuntimeException why) {
        scene.host().post(() -> stand.notSeen(own, why));
    }
}
