// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.simulator.host.SimClock;
import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.List;

/** One machine: its clocks and its name outlive the processes on it. */
public final class SimulatedNode {
    private final SimulatedWorld world;
    private final String name;
    private final long ttlMillis;
    private final SimClock clock;
    private final SplitMix64 random;
    private final List<SimulatedProcess> running = new ArrayList<>();
    private final List<SimulatedProcess> all = new ArrayList<>();

    SimulatedNode(SimulatedWorld world, int index, SimClock clock, SplitMix64 random) {
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

    public SimClock clock() {
        return clock;
    }

    public List<SimulatedProcess> running() {
        return running;
    }

    List<SimulatedProcess> all() {
        return all;
    }

    SimulatedProcess start() {
        return start(clock);
    }

    /** A second process under the same name, on a machine of its own. */
    public SimulatedProcess startClone() {
        return start(new SimClock(world.time(), random.below(1L << 40), 1));
    }

    private SimulatedProcess start(SimClock on) {
        SimulatedProcess process = new SimulatedProcess(world, this, on, random.fork());
        running.add(process);
        all.add(process);
        process.stand();
        return process;
    }

    void ended(SimulatedProcess process) {
        running.remove(process);
        world.ended(this);
    }
}
