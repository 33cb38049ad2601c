// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** In which states the machines were, and on which events: what was never met was never checked. */
public final class Coverage {
    private record Pair(Class<?> state, Class<?> event) {}

    private final Set<Pair> met = new HashSet<>();
    private final Set<Class<?>> states = new HashSet<>();

    public void note(Object state, Object event) {
        met.add(new Pair(state.getClass(), event.getClass()));
    }

    public void reached(ModelWorld world) {
        for (NodeModel node : world.nodes()) {
            states.add(node.session.getClass());
            states.add(node.election.getClass());
        }
    }

    public Set<Class<?>> states() {
        return Set.copyOf(states);
    }

    public SortedSet<String> pairs() {
        SortedSet<String> names = new TreeSet<>();
        met.forEach(pair -> names.add(pair.state.getSimpleName() + " on " + pair.event.getSimpleName()));
        return names;
    }
}
