package dev.tenure.explorer;

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
    private final Canon canon;
    private final Visited visited = new Visited();
    private final Queue<World> frontier = new ArrayDeque<>();
    private int[] parents = new int[1 << 16];
    private int[] taken = new int[1 << 16];
    private long transitions;

    private Explorer(Bounds bounds, LongSupplier nanos) {
        this.bounds = bounds;
        this.nanos = nanos;
        Machines machines = new Machines(bounds);
        this.moves = new Moves(bounds, machines);
        this.steps = new Steps(bounds, machines, coverage);
        this.canon = new Canon(bounds, machines);
    }

    /** @param nanoTime the clock by which the exploration is timed */
    public static Exploration run(Bounds bounds, LongSupplier nanoTime) {
        return new Explorer(bounds, nanoTime).run();
    }

    private Exploration run() {
        long begunNanos = nanos.getAsLong();
        World initial = steps.initial();
        visited.add(canon.of(initial));
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
                visited.size(),
                transitions,
                depth,
                tookNanos,
                whole,
                coverage.states(),
                coverage.pairs(),
                found);
    }

    private Optional<Exploration.CounterExample> expand(int index, World world) {
        for (Move move : moves.possible(world)) {
            transitions++;
            try {
                World next = steps.after(world, move);
                if (visited.add(canon.of(next))) {
                    remember(visited.size() - 1, index, move);
                    coverage.reached(next);
                    frontier.add(next);
                }
            } catch (Violation violation) {
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
        World world = steps.initial();
        for (Move move : path) {
            try {
                World next = steps.after(world, move);
                told.add(Telling.of(world, move, next));
                world = next;
            } catch (Violation violation) {
                told.add(Telling.of(world, move, world) + "  ✗ " + violation.what());
            }
        }
        return told;
    }
}
