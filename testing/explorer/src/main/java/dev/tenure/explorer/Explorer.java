// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

import dev.tenure.explorer.encoding.CanonicalEncoder;
import dev.tenure.explorer.model.Coverage;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelWorld;
import dev.tenure.explorer.model.ViolationException;
import dev.tenure.explorer.step.Move;
import dev.tenure.explorer.step.Moves;
import dev.tenure.explorer.step.StepDescription;
import dev.tenure.explorer.step.Steps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.LongSupplier;

/**
 * Goes through every state that a small world can reach, the near ones first, and checks the properties in each. What it
 * finds is therefore the shortest history that breaks a property, and what it does not find does not exist within the
 * bounds.
 */
public final class Explorer {
    private final Bounds bounds;
    private final LongSupplier nanos;
    private final Coverage coverage = new Coverage();
    private final Moves moves;
    private final Steps steps;
    private final CanonicalEncoder canonicalEncoder;
    private final Visited visited = new Visited();
    private final Queue<ModelWorld> frontier = new ArrayDeque<>();
    private int[] parents = new int[1 << 16];
    private int[] taken = new int[1 << 16];
    private long transitions;

    private Explorer(Bounds bounds, LongSupplier nanos) {
        this.bounds = bounds;
        this.nanos = nanos;
        Machines machines = new Machines(bounds);
        this.moves = new Moves(bounds, machines);
        this.steps = new Steps(bounds, machines, coverage);
        this.canonicalEncoder = new CanonicalEncoder(bounds, machines);
    }

    /** @param nanoTime the clock by which the exploration is timed */
    public static Exploration run(Bounds bounds, LongSupplier nanoTime) {
        return new Explorer(bounds, nanoTime).run();
    }

    private Exploration run() {
        long begunNanos = nanos.getAsLong();
        ModelWorld initial = steps.initial();
        visited.add(canonicalEncoder.of(initial));
        frontier.add(initial);
        int expanded = 0;
        int depth = 0;
        int layerEnd = 1;
        boolean whole = true;
        Optional<Exploration.CounterExample> found = Optional.empty();
        while (!frontier.isEmpty() && found.isEmpty()) {
            if (visited.size() >= bounds.statesMax()) {
                whole = false;
                break;
            }
            found = expand(expanded, frontier.remove());
            expanded++;
            if (expanded == layerEnd) {
                depth++;
                layerEnd = visited.size();
            }
        }
        long tookNanos = nanos.getAsLong() - begunNanos;
        return new Exploration(
                bounds,
                new Exploration.Size(visited.size(), transitions, depth),
                tookNanos,
                whole,
                new Exploration.Reached(coverage.states(), coverage.pairs()),
                found);
    }

    private Optional<Exploration.CounterExample> expand(int index, ModelWorld world) {
        for (Move move : moves.possible(world)) {
            transitions++;
            try {
                ModelWorld next = steps.after(world, move);
                if (visited.add(canonicalEncoder.of(next))) {
                    remember(visited.size() - 1, index, move);
                    coverage.reached(next);
                    frontier.add(next);
                }
            } catch (ViolationException violation) {
                return Optional.of(
                        new Exploration.CounterExample(violation.property(), violation.what(), history(index, move)));
            }
        }
        return Optional.empty();
    }

    private void remember(int index, int parent, Move move) {
        if (index >= parents.length) {
            parents = Arrays.copyOf(parents, 2 * parents.length);
            taken = Arrays.copyOf(taken, 2 * taken.length);
        }
        parents[index] = parent;
        taken[index] = move.packed();
    }

    /** The steps from the beginning to this one, told in words. */
    private List<String> history(int index, Move last) {
        List<Move> path = new ArrayList<>();
        path.add(last);
        for (int at = index; at > 0; at = parents[at]) {
            path.add(Move.unpacked(taken[at]));
        }
        Collections.reverse(path);
        List<String> told = new ArrayList<>();
        ModelWorld world = steps.initial();
        for (Move move : path) {
            try {
                ModelWorld next = steps.after(world, move);
                told.add(StepDescription.of(world, move, next));
                world = next;
            } catch (ViolationException violation) {
                told.add(StepDescription.of(world, move, world) + "  ✗ " + violation.what());
            }
        }
        return told;
    }
}
