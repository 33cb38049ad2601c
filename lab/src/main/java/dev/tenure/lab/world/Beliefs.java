// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.world;

import dev.tenure.algorithms.Effect;
import dev.tenure.lab.trace.Belief;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What each node believes, now and before. A belief with a lease ends with it, also while its node is paused. */
final class Beliefs {
    private record Open(int node, String role, int leader, long term, long fromNanos, long untilNanos) {
        Belief closed(long nanos) {
            return new Belief(node, role, leader, term, fromNanos, Math.min(nanos, untilNanos));
        }

        boolean holdsAt(long nanos) {
            return nanos < untilNanos;
        }
    }

    private final Map<String, Map<Integer, Open>> open = new TreeMap<>();
    private final List<Belief> closed = new ArrayList<>();
    private OptionalLong firstLeaderNanos = OptionalLong.empty();
    private OptionalLong settledNanos = OptionalLong.empty();

    void believe(int node, String role, int leader, long term, long untilNanos, long nowNanos) {
        Map<Integer, Open> here = open.computeIfAbsent(role, name -> new TreeMap<>());
        Open before = here.get(node);
        boolean same = before != null && before.leader() == leader && before.term() == term && before.holdsAt(nowNanos);
        if (before != null && !same) {
            closed.add(before.closed(nowNanos));
        }
        long sinceNanos = same && before != null ? before.fromNanos() : nowNanos;
        here.put(node, new Open(node, role, leader, term, sinceNanos, untilNanos));
        if (leader == node && firstLeaderNanos.isEmpty()) {
            firstLeaderNanos = OptionalLong.of(nowNanos);
        }
    }

    /** A node that is down believes nothing. */
    void forget(int node, long nowNanos) {
        for (Map<Integer, Open> here : open.values()) {
            Open before = here.remove(node);
            if (before != null) {
                closed.add(before.closed(nowNanos));
            }
        }
    }

    /** Notes the first time that all of these agree on a leader who is one of them. */
    boolean settles(Collection<Integer> living, long nowNanos) {
        if (settledNanos.isEmpty() && agree(living, nowNanos)) {
            settledNanos = OptionalLong.of(nowNanos);
        }
        return settledNanos.isPresent();
    }

    /** In each role, where there are several. */
    private boolean agree(Collection<Integer> living, long nowNanos) {
        return !open.isEmpty() && open.values().stream().allMatch(here -> agree(here, living, nowNanos));
    }

    private static boolean agree(Map<Integer, Open> here, Collection<Integer> living, long nowNanos) {
        int leader = 0;
        for (int node : living) {
            Open belief = here.get(node);
            if (belief == null || belief.leader() == 0 || !belief.holdsAt(nowNanos)) {
                return false;
            }
            if (leader != 0 && belief.leader() != leader) {
                return false;
            }
            leader = belief.leader();
        }
        return living.contains(leader);
    }

    /** The term in which this node believes to lead now. */
    Optional<Long> termLedBy(int node, long nowNanos) {
        return Optional.ofNullable(open.getOrDefault(Effect.LEADER, Map.of()).get(node))
                .filter(belief -> belief.leader() == node && belief.holdsAt(nowNanos))
                .map(Open::term);
    }

    /** The leader of now: of several the one of the highest term, then the highest id. */
    Optional<Integer> leader(long nowNanos) {
        return open.getOrDefault(Effect.LEADER, Map.of()).values().stream()
                .filter(belief -> belief.leader() == belief.node() && belief.holdsAt(nowNanos))
                .max(Comparator.comparingLong(Open::term).thenComparingInt(Open::node))
                .map(Open::node);
    }

    OptionalLong firstLeaderNanos() {
        return firstLeaderNanos;
    }

    OptionalLong settledNanos() {
        return settledNanos;
    }

    /** All of them, those that still hold included. */
    List<Belief> all(long nowNanos) {
        List<Belief> all = new ArrayList<>(closed);
        open.values().forEach(here -> here.values().forEach(each -> all.add(each.closed(nowNanos))));
        all.sort(Comparator.comparingLong(Belief::fromNanos)
                .thenComparingInt(Belief::node)
                .thenComparing(Belief::role)
                .thenComparingLong(Belief::toNanos));
        return all;
    }
}
