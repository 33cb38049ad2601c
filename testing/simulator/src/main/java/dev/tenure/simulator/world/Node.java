package dev.tenure.simulator.world;

import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.List;

/** One machine: its clocks and its name outlive the processes on it. */
final class Node {
    private final World world;
    private final String name;
    private final long ttlMillis;
    private final SimClock clock;
    private final SplitMix64 random;
    private final List<Incarnation> running = new ArrayList<>();
    private final List<Incarnation> all = new ArrayList<>();

    Node(World world, int index, SimClock clock, SplitMix64 random) {
        this.world = world;
        this.name = "node-" + (char) ('a' + index);
        this.ttlMillis = world.plan().ttlMillis[index];
        this.clock = clock;
        this.random = random;
    }

    String name() {
        return name;
    }

    long ttlMillis() {
        return ttlMillis;
    }

    SimClock clock() {
        return clock;
    }

    List<Incarnation> running() {
        return running;
    }

    List<Incarnation> all() {
        return all;
    }

    Incarnation start() {
        return start(clock);
    }

    /** A second process under the same name, on a machine of its own. */
    Incarnation startClone() {
        return start(new SimClock(world.time(), random.below(1L << 40), 1));
    }

    private Incarnation start(SimClock on) {
        Incarnation process = new Incarnation(world, this, on, random.fork());
        running.add(process);
        all.add(process);
        process.stand();
        return process;
    }

    void ended(Incarnation process) {
        running.remove(process);
        world.ended(this);
    }
}
