// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/**
 * What an exploration has found.
 *
 * @param whole every state within the bounds was visited
 */
public record Exploration(
        Bounds bounds,
        Size size,
        long tookNanos,
        boolean whole,
        Reached reached,
        Optional<CounterExample> counterExample) {

    /**
     * How much was visited.
     *
     * @param states how many; nodes are interchangeable, so one stands for all its mirror images
     * @param depth the longest of the shortest ways to a state
     */
    public record Size(int states, long transitions, int depth) {}

    /**
     * Where the machines were.
     *
     * @param pairs of state and event that they were asked, in words
     */
    public record Reached(Set<Class<?>> states, SortedSet<String> pairs) {}

    /**
     * @param property as the catalogue of properties calls it
     * @param history the shortest one, a line a step
     */
    public record CounterExample(String property, String what, List<String> history) {
        @Override
        public String toString() {
            return what + ", after " + history.size() + " steps:\n  " + String.join("\n  ", history);
        }
    }

    @Override
    public String toString() {
        String end = counterExample
                .map(CounterExample::toString)
                .orElse(whole ? "nothing found, nothing left" : "nothing found, stopped at the bound");
        return String.format(
                Locale.ROOT,
                "%s%s: %,d states, %,d transitions, depth %d, %d pairs of state and event, %.1f s; %s",
                bounds.name(),
                bounds.brokenRule().map(broken -> " but " + broken).orElse(""),
                size.states(),
                size.transitions(),
                size.depth(),
                reached.pairs().size(),
                tookNanos / 1e9,
                end);
    }
}
