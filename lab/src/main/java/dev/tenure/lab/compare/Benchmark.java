// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.compare;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.lab.AlgorithmConfig;
import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.fault.NodeSet;
import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What is measured: an algorithm, who calls the election, how the ids stand, and what theory says about the number of messages. Nobody
 * detects failures here, so that nothing but the election is counted; it ends when all know the leader.
 */
public enum Benchmark {
    BULLY_BEST("bully, best case", Algorithm.BULLY, "n"),
    BULLY_WORST("bully, worst case", Algorithm.BULLY, "n(n-1)"),
    RING("ring, one caller", Algorithm.RING, "2n"),
    CHANG_ROBERTS("chang-roberts, average", Algorithm.CHANG_ROBERTS, "n H(n) + n"),
    CHANG_ROBERTS_WORST("chang-roberts, worst case", Algorithm.CHANG_ROBERTS, "n(n+1)/2 + n"),
    HIRSCHBERG_SINCLAIR("hirschberg-sinclair", Algorithm.HIRSCHBERG_SINCLAIR, "<= 8n(1 + ceil(log2 n)) + n"),
    QUORUM("quorum, one caller", Algorithm.QUORUM, "<= 3(n-1)"),
    PAXOS("paxos, one caller", Algorithm.PAXOS, "<= 5(n-1)"),
    RAFT("raft, cold start", Algorithm.RAFT, ">= 2(n-1)");

    private static final long FOR_NANOS = 120_000_000_000L;

    private final String title;
    private final Algorithm algorithm;
    private final String theory;

    Benchmark(String title, Algorithm algorithm, String theory) {
        this.title = title;
        this.algorithm = algorithm;
        this.theory = theory;
    }

    /** With one more for those who hear the end. */
    private static double harmonic(int nodes) {
        double sum = 1;
        for (int i = 1; i <= nodes; i++) {
            sum += 1.0 / i;
        }
        return nodes * sum;
    }

    public String title() {
        return title;
    }

    public String theory() {
        return theory;
    }

    /** No fewer messages than these, says theory; for the average of Chang and Roberts, these on average. */
    public double low(int nodes) {
        return switch (this) {
            case HIRSCHBERG_SINCLAIR -> 3.0 * nodes;
            case QUORUM, RAFT -> 2.0 * (nodes - 1);
            case PAXOS -> 3.0 * (nodes - 1);
            default -> high(nodes);
        };
    }

    /** No more messages than these. */
    public double high(int nodes) {
        double n = nodes;
        return switch (this) {
            case BULLY_BEST -> n;
            case BULLY_WORST -> n * (n - 1);
            case RING -> 2 * n;
            case CHANG_ROBERTS -> harmonic(nodes);
            case CHANG_ROBERTS_WORST -> n * (n + 1) / 2 + n;
            case HIRSCHBERG_SINCLAIR -> 8 * n * (1 + Math.ceil(Math.log(n) / Math.log(2))) + n;
            case QUORUM -> 3 * (n - 1);
            case PAXOS -> 5 * (n - 1);
            case RAFT -> Double.POSITIVE_INFINITY;
        };
    }

    Experiment experiment(int nodes, long seed) {
        List<Integer> ids = IntStream.rangeClosed(1, nodes).boxed().toList();
        Experiment all = Experiment.of(AlgorithmConfig.of(algorithm), nodes, seed)
                .lasting(FOR_NANOS)
                .calledBy(ids);
        return switch (this) {
            case BULLY_BEST -> without(nodes, all).calledBy(List.of(nodes - 1));
            case BULLY_WORST -> without(nodes, all).calledBy(List.of(1));
            case CHANG_ROBERTS, HIRSCHBERG_SINCLAIR -> all.around(shuffled(ids, seed));
            case CHANG_ROBERTS_WORST -> all.around(reversed(ids));
            case RING, QUORUM, PAXOS -> all.calledBy(List.of(1));
            case RAFT -> all;
        };
    }

    private static Experiment without(int node, Experiment experiment) {
        return experiment.with(List.of(new Fault.Crash(new NodeSet(Integer.toString(node)), 0)));
    }

    private static List<Integer> reversed(List<Integer> ids) {
        List<Integer> order = new ArrayList<>(ids);
        Collections.reverse(order);
        return order;
    }

    private static List<Integer> shuffled(List<Integer> ids, long seed) {
        SplitMix64 random = new SplitMix64(SplitMix64.mix(seed));
        List<Integer> order = new ArrayList<>(ids);
        for (int i = order.size() - 1; i > 0; i--) {
            Collections.swap(order, i, (int) random.below(i + 1L));
        }
        return order;
    }
}
