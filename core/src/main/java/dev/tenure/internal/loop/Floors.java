package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** The highest token that was ever seen of each election: none at or below it is led. Loop-confined. */
final class Floors {
    /** How far a fence alone can move the era: one that is hostile must not use up the space of tokens. */
    private static final int ERA_STEPS_MAX = 16;

    private final Map<ElectionName, Long> floors = new HashMap<>();
    private int eraOfStore;

    long of(ElectionName election) {
        return floors.getOrDefault(election, 0L);
    }

    long highest() {
        return floors.isEmpty() ? 0 : Collections.max(floors.values());
    }

    /** The store itself has shown this token, now or before it lost its terms. */
    void seenInStore(ElectionName election, long token) {
        seenInStore(new FencingToken(token).era());
        floors.merge(election, token, Math::max);
    }

    void seenInStore(int era) {
        eraOfStore = Math.max(eraOfStore, era);
    }

    void toldByFence(ElectionName election, FencingToken token) {
        floors.merge(election, token.value(), Math::max);
    }

    /** Would the era above this floor be one that the store can be trusted to have come near? */
    boolean isCredible(long floor) {
        int era = new FencingToken(floor).era() + 1;
        return era - eraOfStore <= ERA_STEPS_MAX && era <= FencingToken.ERA_MAX;
    }

    int eraOfStore() {
        return eraOfStore;
    }
}
