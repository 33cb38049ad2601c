// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.sticky;

import static dev.tenure.algorithms.Effect.FOREVER;

import dev.tenure.algorithms.Description;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.Suspects;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Rendezvous hashing (Thaler and Ravishankar, 1998): every resource has an order of preference over all nodes, by a hash of both, and
 * belongs to the first that is not suspected. Nobody sends anything for it; who suspects the same nodes comes to the same result.
 *
 * <pre>
 * event                 | effect
 * ----------------------+-----------------------------------------------------------------------
 * Started               | each resource has its owner among all members
 * Suspected, Recovered  | each resource whose owner is another one now: lead it, or follow that one
 * anything else         | nothing
 * </pre>
 *
 * <p>When a node goes, only its own resources move, each to its second choice; when it comes back they return, and no others.
 */
public final class Sticky implements Machine<Sticky.State> {
    public static final Description DESCRIPTION = new Description(
            "Sticky by resource",
            "rendezvous hashing, Thaler and Ravishankar, 1998",
            "For each resource every node computes a hash of the resource and each node's id; the highest one that lives owns"
                    + " the resource. No messages beside the heartbeats.",
            List.of("all members are known to all", "a failure detector that tells all the same"),
            List.of(
                    "the work is spread evenly, without anybody being asked",
                    "when a node goes, only what it owned moves; when it comes back, only that returns"),
            List.of(
                    "one owner at a time: until all suspect the same, two may own a resource, under a partition for as long as"
                            + " it lasts",
                    "a number that grows with each owner, so a resource cannot tell the old one from the new one"),
            "none");

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final Group group;
    private final List<String> resources;

    public Sticky(Group group, List<String> resources) {
        this.group = group;
        this.resources = List.copyOf(resources);
    }

    public record State(Set<Integer> suspected) {}

    @Override
    public State initial() {
        return new State(Suspects.NONE);
    }

    @Override
    public Step<State> on(State state, Event event, long nowNanos) {
        State next = new State(Suspects.after(state.suspected(), event));
        boolean started = event instanceof Event.Started;
        List<Effect> effects = new ArrayList<>();
        for (String resource : resources) {
            int owner = owner(resource, next);
            if (started || owner != owner(resource, state)) {
                effects.add(
                        owner == group.me()
                                ? new Effect.Lead(resource, 0, FOREVER)
                                : new Effect.Follow(resource, owner, 0));
            }
        }
        return Step.to(next, effects);
    }

    private int owner(String resource, State state) {
        return owner(
                resource,
                group.ring().stream()
                        .filter(id -> !state.suspected().contains(id))
                        .toList());
    }

    /** The one of these nodes that owns the resource. */
    public static int owner(String resource, List<Integer> nodes) {
        int owner = 0;
        long highest = 0;
        for (int node : nodes) {
            long weight = weight(resource, node);
            if (owner == 0 || Long.compareUnsigned(weight, highest) > 0) {
                owner = node;
                highest = weight;
            }
        }
        if (owner == 0) {
            throw new IllegalArgumentException("nobody is there to own " + resource);
        }
        return owner;
    }

    private static long weight(String resource, int node) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < resource.length(); i++) {
            hash = (hash ^ resource.charAt(i)) * FNV_PRIME;
        }
        hash += node * 0x9e3779b97f4a7c15L;
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
