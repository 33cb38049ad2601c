// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.check;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.sticky.Sticky;
import dev.tenure.lab.AlgorithmConfig;
import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.trace.Overlap;
import dev.tenure.lab.trace.Trace;
import dev.tenure.lab.world.World;
import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * One seed of one algorithm: draws an experiment, runs it, and asks whether everything holds that the algorithm promises.
 *
 * <p>Those that promise safety under every fault (quorum, Raft, Paxos) get every fault: no two leaders in a term, no two
 * decisions for an epoch, no leader without what a majority had, no overlap of belief with an exclusive lease; then all is healed,
 * and one leader is demanded that all know. The others get what they assume, crashes, and the highest living id has to lead, and
 * nobody else before the first crash.
 */
public final class Check {
    private static final int NODES_MAX = 7;
    private static final int NODES_OFTEN = 3;
    private static final int RAFT_KINDS = 4;

    private Check() {}

    /** What the seed draws for this algorithm. */
    public static Experiment experiment(Algorithm algorithm, long seed) {
        SplitMix64 random = new SplitMix64(SplitMix64.mix(seed) ^ algorithm.ordinal());
        // Small groups are where one vote too many does the most harm.
        int nodes = random.below(2) == 0 ? NODES_OFTEN : 1 + (int) random.below(NODES_MAX);
        List<Integer> ring =
                new ArrayList<>(IntStream.rangeClosed(1, nodes).boxed().toList());
        for (int i = ring.size() - 1; i > 0; i--) {
            Collections.swap(ring, i, (int) random.below(i + 1L));
        }
        FaultGenerator generator = new FaultGenerator(random, nodes);
        return Experiment.of(config(algorithm, random), nodes, seed)
                .around(ring)
                .with(algorithm.hasTerms() ? generator.hostile() : generator.crashes())
                .lasting(FaultGenerator.END_NANOS);
    }

    private static AlgorithmConfig config(Algorithm algorithm, SplitMix64 random) {
        if (algorithm != Algorithm.RAFT) {
            return AlgorithmConfig.of(algorithm);
        }
        return switch ((int) random.below(RAFT_KINDS)) {
            case 0 -> AlgorithmConfig.of(algorithm);
            case 1 -> AlgorithmConfig.of(algorithm).plain();
            case 2 -> AlgorithmConfig.exclusiveRaft().withoutLog();
            default -> AlgorithmConfig.exclusiveRaft();
        };
    }

    public static Optional<Violation> run(Algorithm algorithm, long seed) {
        Experiment experiment = experiment(algorithm, seed);
        StateInvariants invariants = new StateInvariants();
        Trace trace;
        try {
            trace = World.run(experiment, invariants);
        } catch (RuntimeException impossible) {
            return Optional.of(new Violation(experiment, "no illegal step", String.valueOf(impossible)));
        }
        return invariants
                .broken()
                .map(sentence -> new Violation(experiment, "agreement", sentence))
                .or(() -> algorithm.hasTerms() ? safety(experiment, trace) : rank(experiment, trace))
                .or(() -> progress(experiment, trace));
    }

    private static Optional<Violation> safety(Experiment experiment, Trace trace) {
        for (Map.Entry<Long, Set<Integer>> term : trace.leadersByTerm().entrySet()) {
            if (term.getValue().size() > 1) {
                return Optional.of(new Violation(
                        experiment,
                        "one leader in a term",
                        "term " + term.getKey() + " was led by " + term.getValue()));
            }
        }
        if (experiment.config().isExclusive()) {
            return trace.overlaps().stream().findFirst().map(found -> overlap(experiment, found));
        }
        return Optional.empty();
    }

    /** As long as all live, nobody but the highest id may lead, not even for a moment. */
    private static Optional<Violation> rank(Experiment experiment, Trace trace) {
        long firstFault =
                experiment.faults().stream().mapToLong(Fault::fromNanos).min().orElse(trace.endNanos());
        return trace.beliefs().stream()
                .filter(belief -> belief.isOwn() && belief.role().equals(Effect.LEADER))
                .filter(belief -> belief.node() < experiment.nodes() && belief.fromNanos() < firstFault)
                .findFirst()
                .map(early -> new Violation(
                        experiment, "the highest leads", early + ", while " + experiment.nodes() + " lived"));
    }

    private static Violation overlap(Experiment experiment, Overlap found) {
        return new Violation(experiment, "no two believe at once", found.one() + " and " + found.other());
    }

    private static Optional<Violation> progress(Experiment experiment, Trace trace) {
        if (experiment.config().algorithm() == Algorithm.STICKY) {
            return AlgorithmConfig.resources().stream()
                    .flatMap(resource -> owner(experiment, trace, resource).stream())
                    .findFirst();
        }
        Map<Integer, Integer> last = trace.lastBeliefs(Effect.LEADER);
        if (last.isEmpty()) {
            return Optional.empty(); // nobody lives
        }
        int expected = experiment.config().algorithm().hasTerms()
                ? last.values().iterator().next()
                : Collections.max(last.keySet());
        boolean agreed = last.values().stream().allMatch(leader -> leader == expected) && last.containsKey(expected);
        return agreed
                ? Optional.empty()
                : Optional.of(new Violation(experiment, "it ends", "at the end they believe " + last));
    }

    private static Optional<Violation> owner(Experiment experiment, Trace trace, String resource) {
        Map<Integer, Integer> last = trace.lastBeliefs(resource);
        if (last.isEmpty()) {
            return Optional.empty();
        }
        int owner = Sticky.owner(resource, List.copyOf(last.keySet()));
        return last.values().stream().allMatch(each -> each == owner)
                ? Optional.empty()
                : Optional.of(new Violation(
                        experiment, "it ends", resource + " should belong to " + owner + ", they believe " + last));
    }
}
