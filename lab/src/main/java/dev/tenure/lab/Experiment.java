// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab;

import dev.tenure.lab.fault.Fault;
import java.util.List;
import java.util.stream.IntStream;

/**
 * All that determines a run.
 *
 * @param ring the nodes' ids, in the order in which they stand around the ring
 * @param callers who calls an election when the run begins
 * @param detecting is there a failure detector? Without one only what the algorithm itself sends is seen
 * @param writing do leaders write to a resource?
 */
public record Experiment(
        AlgorithmConfig config,
        List<Integer> ring,
        long seed,
        long forNanos,
        List<Fault> faults,
        List<Integer> callers,
        boolean detecting,
        boolean writing) {
    public static final int NODES_MAX = 999;
    private static final long FOR_NANOS = 5_000_000_000L;

    public Experiment {
        ring = List.copyOf(ring);
        faults = List.copyOf(faults);
        callers = List.copyOf(callers);
    }

    /** Nodes 1 to n, who all call an election at the beginning, for five seconds, without faults. */
    public static Experiment of(AlgorithmConfig config, int nodes, long seed) {
        if (nodes < 1 || nodes > NODES_MAX) {
            throw new IllegalArgumentException("nodes " + nodes + " must be from 1 to " + NODES_MAX);
        }
        List<Integer> ids = IntStream.rangeClosed(1, nodes).boxed().toList();
        return new Experiment(config, ids, seed, FOR_NANOS, List.of(), ids, true, true);
    }

    public Experiment with(List<Fault> other) {
        return new Experiment(config, ring, seed, forNanos, other, callers, detecting, writing);
    }

    public Experiment lasting(long nanos) {
        return new Experiment(config, ring, seed, nanos, faults, callers, detecting, writing);
    }

    public Experiment around(List<Integer> order) {
        return new Experiment(config, order, seed, forNanos, faults, callers, detecting, writing);
    }

    /** Only the election itself: these call it, nobody detects failures and nobody writes. */
    public Experiment calledBy(List<Integer> some) {
        return new Experiment(config, ring, seed, forNanos, faults, some, false, false);
    }

    public int nodes() {
        return ring.size();
    }
}
