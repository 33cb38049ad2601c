// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** The highest token that was ever seen of each election: none at or below it is led. Loop-confined. */
final class TokenFloors {
    /** How far a fence alone can move the era: one that is hostile must not use up the space of tokens. */
    private static final int ERA_STEPS_MAX = 16;

    private final Map<ElectionName, FencingToken> floors = new HashMap<>();
    private int eraOfStore;
    /** The highest era that was found to be out of reach, and where the store was then. */
    private int outOfReach;

    private int outOfReachFrom;

    long of(ElectionName election) {
        FencingToken floor = floors.get(election);
        return floor == null ? 0 : floor.value();
    }

    long highest() {
        return floors.isEmpty() ? 0 : Collections.max(floors.values()).value();
    }

    /** The store itself has shown this token, now or before it lost its terms. */
    void seenInStore(ElectionName election, FencingToken token) {
        seenInStore(token.era());
        raise(election, token);
    }

    void seenInStore(int era) {
        eraOfStore = Math.max(eraOfStore, era);
    }

    void refusedByFence(ElectionName election, FencingToken token) {
        raise(election, token);
    }

    private void raise(ElectionName election, FencingToken token) {
        floors.merge(election, token, (known, told) -> told.isNewerThan(known) ? told : known);
    }

    /** Would the era above this floor be one that the store can be trusted to have come near? */
    boolean isCredible(long floor) {
        if (floor == 0) {
            return true; // nothing was seen yet
        }
        int era = new FencingToken(floor).era() + 1;
        return era - eraOfStore <= ERA_STEPS_MAX && era <= FencingToken.ERA_MAX;
    }

    /** True if that is news: neither it nor a higher era was out of reach before, from where the store is. */
    boolean noteOutOfReach(int era) {
        boolean news = era > outOfReach || eraOfStore != outOfReachFrom;
        if (news) {
            outOfReach = era;
            outOfReachFrom = eraOfStore;
        }
        return news;
    }

    int eraOfStore() {
        return eraOfStore;
    }
}
