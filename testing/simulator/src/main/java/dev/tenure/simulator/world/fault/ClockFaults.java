// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world.fault;

import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.world.SimulatedNode;
import dev.tenure.simulator.world.SimulatedProcess;
import dev.tenure.simulator.world.SimulatedWorld;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.List;

/** What befalls the clocks of nodes. */
final class ClockFaults {
    private static final long STEP_MILLIS_MAX = Duration.ofDays(3650).toMillis();

    private final SimulatedWorld world;
    private final SplitMix64 random;

    ClockFaults(SimulatedWorld world, SplitMix64 random) {
        this.world = world;
        this.random = random;
    }

    boolean inject(FaultKind fault) {
        SimulatedNode node = world.nodes().get((int) random.below(world.nodes().size()));
        node.running().forEach(process -> world.truth().stepped(process.fact()));
        switch (fault) {
            case CLOCK_FAST, CLOCK_SLOW, CLOCK_BEYOND_BOUND -> {
                return drift(node, fault);
            }
            case WALL_STEP_FORWARD -> node.clock().stepWall(Duration.ofMillis(stepMillis()));
            case WALL_STEP_BACK -> node.clock().stepWall(Duration.ofMillis(-stepMillis()));
            case WALL_FROZEN -> {
                node.clock().freezeWall();
                world.afterwards(world.lastingNanos(3), node.clock()::thawWall);
            }
            case SUSPEND -> {
                return suspend(node);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean drift(SimulatedNode node, FaultKind fault) {
        if (node.clock().isFrozen()) {
            return false;
        }
        long ppm = world.plan().driftPpmFor(fault, random);
        node.clock().drift(ppm);
        return true;
    }

    private boolean suspend(SimulatedNode node) {
        List<SimulatedProcess> running = node.running();
        if (running.size() != 1 || running.get(0).host().isPaused()) {
            return false;
        }
        running.get(0).suspendFor(world.lastingNanos(3));
        return true;
    }

    /** From a tenth of a second to ten years, each order of magnitude equally likely. */
    private long stepMillis() {
        long step = 100L << random.below(32);
        return Math.min(STEP_MILLIS_MAX, step + random.below(step));
    }
}
