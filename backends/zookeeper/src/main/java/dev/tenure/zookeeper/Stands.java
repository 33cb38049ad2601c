package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.zookeeper.wire.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where one session stands, or has stood. Loop-confined. */
final class Stands {
    /** How many are asked until one is found that leads: a heartbeat does not search through thousands that wait. */
    private static final int ASKED_MAX = 100;

    /** By the texts of their names, which are found faster than the names: a release waits for this. */
    private final Map<String, Stand> all = new HashMap<>();

    private final List<Stand> inTurn = new ArrayList<>();
    private int next;

    /** A latch that leads, to be proved by the next heartbeat. */
    record Led(Stand stand, String latch) {}

    Stand in(ElectionName election, SessionScene scene) {
        Stand known = all.get(election.value());
        if (known != null) {
            return known;
        }
        Stand stand = new Stand(scene, election);
        all.put(election.value(), stand);
        inTurn.add(stand);
        return stand;
    }

    void onEvent(Event event, Layout layout) {
        layout.electionAt(event.path())
                .map(ElectionName::value)
                .map(all::get)
                .ifPresent(stand -> stand.onEvent(event.path(), event.type()));
    }

    /** The own latches whose ends are to be heard of. */
    List<String> watched() {
        return inTurn.stream().map(Stand::watched).flatMap(Optional::stream).toList();
    }

    /** One latch after the other. */
    Optional<Led> nextLed() {
        for (int asked = 0; asked < Math.min(ASKED_MAX, inTurn.size()); asked++) {
            Stand stand = inTurn.get(next % inTurn.size());
            next = (next + 1) % inTurn.size();
            Optional<String> latch = stand.led();
            if (latch.isPresent()) {
                return Optional.of(new Led(stand, latch.get()));
            }
        }
        return Optional.empty();
    }
}
