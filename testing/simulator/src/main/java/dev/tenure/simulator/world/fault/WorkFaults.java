// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world.fault;

import dev.tenure.Candidacy;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.world.SimulatedCandidacy;
import dev.tenure.simulator.world.SimulatedProcess;
import dev.tenure.simulator.world.SimulatedWorld;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.List;

/** What users and operators do. */
final class WorkFaults {
    private final SimulatedWorld world;
    private final SplitMix64 random;

    WorkFaults(SimulatedWorld world, SplitMix64 random) {
        this.world = world;
        this.random = random;
    }

    boolean inject(FaultKind fault) {
        List<SimulatedProcess> running = world.running();
        if (running.isEmpty()) {
            return false;
        }
        SimulatedProcess process = running.get((int) random.below(running.size()));
        int election = (int) random.below(world.plan().elections);
        switch (fault) {
            case RESIGN -> {
                return forLeader(running, election, candidacy -> candidacy.resign("simulated"));
            }
            case RESIGN_REQUESTED -> process.host().user(() -> process.tenure().askToResign(world.nameOf(election)));
            case ERA_RAISED -> {
                world.truth().eraRaised();
                process.host().user(() -> process.tenure().raiseEra());
            }
            case STAND_DOWN -> {
                return process.standDown(random.next());
            }
            case FENCE_SLOW -> {
                long ttlNanos = Duration.ofMillis(process.ttlMillis()).toNanos();
                process.host().raiseLate(1_000_000 + random.below(2 * ttlNanos));
                world.afterwards(world.lastingNanos(4), () -> process.host().raiseLate(0));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private interface Act {
        void on(Candidacy candidacy);
    }

    private static boolean forLeader(List<SimulatedProcess> running, int election, Act act) {
        for (SimulatedProcess process : running) {
            for (SimulatedCandidacy each : process.candidacys()) {
                if (each.election() == election
                        && each.candidacy().map(Candidacy::isLeading).orElse(false)) {
                    process.host().user(() -> act.on(each.candidacy().orElseThrow()));
                    return true;
                }
            }
        }
        return false;
    }
}
