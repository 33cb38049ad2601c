// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A fixed membership as one of its members sees it. Ids are positive and unique; a higher one outranks a lower one.
 *
 * @param ring all members, in the order in which they stand around the ring
 */
public record Group(int me, List<Integer> ring) {
    public Group {
        ring = List.copyOf(ring);
        if (!ring.contains(me)) {
            throw new IllegalArgumentException("node " + me + " is not a member of " + ring);
        }
        if (Set.copyOf(ring).size() != ring.size()) {
            throw new IllegalArgumentException("a member stands twice in " + ring);
        }
    }

    public int size() {
        return ring.size();
    }

    public int majority() {
        return ring.size() / 2 + 1;
    }

    public List<Integer> others() {
        return ring.stream().filter(id -> id != me).toList();
    }

    public List<Integer> higher() {
        return ring.stream().filter(id -> id > me).toList();
    }

    /** The next node on the ring that is not skipped; this node itself, if there is no other. */
    public int after(Set<Integer> skipped) {
        return walk(1, skipped);
    }

    /** The same in the other direction. */
    public int before(Set<Integer> skipped) {
        return walk(-1, skipped);
    }

    private int walk(int step, Set<Integer> skipped) {
        int size = ring.size();
        int here = ring.indexOf(me);
        for (int i = 1; i < size; i++) {
            int there = ring.get(Math.floorMod(here + i * step, size));
            if (!skipped.contains(there)) {
                return there;
            }
        }
        return me;
    }

    /** The same message to each of them. */
    public static List<Effect> send(List<Integer> to, Message message) {
        List<Effect> sends = new ArrayList<>();
        to.forEach(id -> sends.add(new Effect.Send(id, message)));
        return sends;
    }
}
