// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world.fault;

import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.world.SimulatedProcess;
import dev.tenure.simulator.world.SimulatedWorld;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.List;

/** What befalls processes. */
final class ProcessFaults {
    private final SimulatedWorld world;
    private final SplitMix64 random;

    ProcessFaults(SimulatedWorld world, SplitMix64 random) {
        this.world = world;
        this.random = random;
    }

    boolean inject(FaultKind fault) {
        List<SimulatedProcess> running = world.running();
        if (running.isEmpty()) {
            return false;
        }
        SimulatedProcess process = running.get((int) random.below(running.size()));
        long ttlNanos = Duration.ofMillis(process.ttlMillis()).toNanos();
        switch (fault) {
            case CRASH -> process.crash();
            case CRASH_EVERYBODY -> running.forEach(SimulatedProcess::crash);
            case PAUSE_SHORT -> process.pauseFor(1_000_000 + random.below(ttlNanos));
            case PAUSE_LONG -> process.pauseFor(ttlNanos + random.below(3 * ttlNanos));
            case CLOSE_AND_REOPEN -> world.betweenEvents(process::close);
            case CLONE -> {
                return cloneOf(process);
            }
            case LOOP_STUCK -> {
                process.host().stick();
                world.afterwards(world.lastingNanos(3), process.host()::unstick);
            }
            case EXECUTOR_SLOW -> {
                process.host().callLate(1_000_000 + random.below(ttlNanos));
                world.afterwards(world.lastingNanos(4), () -> process.host().callLate(0));
            }
            case TIMERS_LATE -> {
                process.host().wakeLate(1_000_000 + random.below(ttlNanos / 2));
                world.afterwards(world.lastingNanos(4), () -> process.host().wakeLate(0));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean cloneOf(SimulatedProcess process) {
        boolean alone = process.node().running().size() == 1;
        if (alone) {
            process.node().startClone();
        }
        return alone;
    }
}
