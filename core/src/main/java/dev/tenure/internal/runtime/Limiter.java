// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * How many calls of one kind may be under way at once, one for each candidate: neither the loss of thousands of elections nor
 * their release must drown the store. Others wait for their turn.
 */
final class Limiter {
    private static final int UNDER_WAY_MAX = 512;

    private final Map<Object, Runnable> waiting = new LinkedHashMap<>();
    private final Set<Object> underWay = new HashSet<>();

    /** Begins this now or in its turn, once. One who asks again does not wait for an answer any more. */
    void ask(Object who, Runnable begin) {
        underWay.remove(who);
        waiting.put(who, begin);
        next();
    }

    /** It is over, or there was nothing to begin. The next one begins with {@link #next}. */
    void ended(Object who) {
        underWay.remove(who);
    }

    void next() {
        while (underWay.size() < UNDER_WAY_MAX && !waiting.isEmpty()) {
            Map.Entry<Object, Runnable> first = waiting.entrySet().iterator().next();
            waiting.remove(first.getKey());
            underWay.add(first.getKey());
            first.getValue().run();
        }
    }

    void clear() {
        waiting.clear();
        underWay.clear();
    }
}
