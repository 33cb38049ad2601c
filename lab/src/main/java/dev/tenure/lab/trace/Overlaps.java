// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds the times in which two nodes believed to lead the same role. */
final class Overlaps {
    private Overlaps() {}

    static List<Overlap> in(List<Belief> beliefs) {
        List<Belief> leads = beliefs.stream()
                .filter(belief -> belief.isOwn() && belief.toNanos() > belief.fromNanos())
                .sorted(Comparator.comparingLong(Belief::fromNanos).thenComparingInt(Belief::node))
                .toList();
        List<Overlap> found = new ArrayList<>();
        for (int i = 0; i < leads.size(); i++) {
            Belief one = leads.get(i);
            for (int j = i + 1; j < leads.size(); j++) {
                Belief other = leads.get(j);
                long from = Math.max(one.fromNanos(), other.fromNanos());
                long to = Math.min(one.toNanos(), other.toNanos());
                if (one.node() != other.node() && one.role().equals(other.role()) && from < to) {
                    found.add(new Overlap(one.role(), one, other, from, to));
                }
            }
        }
        found.sort(Comparator.comparingLong(Overlap::fromNanos));
        return found;
    }
}
