// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

import dev.tenure.algorithms.Effect;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All that happened in one run. Lists are in the order of time; of messages, in the order in which they were sent.
 *
 * @param firstLeaderNanos when the first node believed that it leads
 * @param settledNanos when all that lived first agreed on a leader
 */
public record Trace(
        List<MessageTrace> messageTraces,
        List<Belief> beliefs,
        List<TraceEvent> events,
        List<ResourceWrite> writes,
        OptionalLong firstLeaderNanos,
        OptionalLong settledNanos,
        long endNanos) {
    public Trace {
        messageTraces = List.copyOf(messageTraces);
        beliefs = List.copyOf(beliefs);
        events = List.copyOf(events);
        writes = List.copyOf(writes);
    }

    /** Messages that belong to elections. */
    public long messages() {
        return messageTraces.stream()
                .filter(each -> !each.message().isBackground())
                .count();
    }

    /** Signs of life. */
    public long background() {
        return messageTraces.size() - messages();
    }

    public long stale() {
        return writes.stream().filter(ResourceWrite::stale).count();
    }

    /** The leaders, by term. More than one in a term is what quorums exclude. */
    public Map<Long, Set<Integer>> leadersByTerm() {
        Map<Long, Set<Integer>> leaders = new TreeMap<>();
        for (Belief belief : beliefs) {
            if (belief.isOwn() && belief.role().equals(Effect.LEADER)) {
                leaders.computeIfAbsent(belief.term(), term -> new TreeSet<>()).add(belief.node());
            }
        }
        return leaders;
    }

    public List<Overlap> overlaps() {
        return Overlaps.in(beliefs);
    }

    /** For how long there were two or more, of whatever role: an instant counts once. */
    public long twoAtOnceNanos() {
        long nanos = 0;
        long untilNanos = 0;
        for (Overlap overlap : overlaps()) {
            nanos += Math.max(0, overlap.toNanos() - Math.max(untilNanos, overlap.fromNanos()));
            untilNanos = Math.max(untilNanos, overlap.toNanos());
        }
        return nanos;
    }

    /** What each node believed about this role at the end. */
    public Map<Integer, Integer> lastBeliefs(String role) {
        Map<Integer, Integer> last = new TreeMap<>();
        for (Belief belief : beliefs) {
            if (belief.role().equals(role) && belief.toNanos() >= endNanos) {
                last.put(belief.node(), belief.leader());
            }
        }
        return last;
    }
}
