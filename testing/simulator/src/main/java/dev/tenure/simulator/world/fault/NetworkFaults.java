// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world.fault;

import dev.tenure.simulator.store.SimulatedLink;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.world.SimulatedCandidacy;
import dev.tenure.simulator.world.SimulatedProcess;
import dev.tenure.simulator.world.SimulatedWorld;
import dev.tenure.testing.SplitMix64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What befalls the network for a while. */
final class NetworkFaults {
    private final SimulatedWorld world;
    private final SplitMix64 random;

    NetworkFaults(SimulatedWorld world, SplitMix64 random) {
        this.world = world;
        this.random = random;
    }

    boolean inject(FaultKind fault) {
        List<SimulatedProcess> running = world.running();
        if (running.isEmpty()) {
            return false;
        }
        SimulatedProcess process = running.get((int) random.below(running.size()));
        SimulatedLink link = process.link();
        long nanos = world.lastingNanos(3);
        switch (fault) {
            case CUT_TO_STORE -> cut(link, true, false, nanos);
            case CUT_FROM_STORE -> cut(link, false, true, nanos);
            case CUT_BOTH_WAYS -> cut(link, true, true, nanos);
            case CUT_EVERYBODY -> running.forEach(each -> cut(each.link(), true, true, nanos));
            case CONNECTION_RESET -> link.reset();
            case CLOGGED -> {
                link.clog();
                world.afterwards(nanos, link::heal);
            }
            case LAST_REPLY_LATE -> {
                process.cling();
                link.delayReplies(process.ttlNanos() / 20 + random.below(process.ttlNanos() / 10));
                thenSilence(process, process.ttlNanos() * 3 / 10);
            }
            case FIRST_REPLY_LATE -> running.forEach(this::beginAnew);
            case STORM -> {
                world.faults().storm(world.plan().stormShare);
                world.afterwards(nanos, () -> {
                    if (!world.isRecovering()) {
                        world.faults().usual();
                    }
                });
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** For two TTLs, the process that leads most elections. */
    boolean cutLeader() {
        Optional<SimulatedProcess> leader = world.running().stream()
                .max(Comparator.comparingLong(process -> process.candidacys().stream()
                        .filter(SimulatedCandidacy::hasAuthority)
                        .count()));
        leader.ifPresent(process -> cut(process.link(), true, true, 2 * process.ttlNanos()));
        return leader.isPresent();
    }

    /** A process that counts from the arrival of a late reply believes for too long, if no other one comes. */
    private void thenSilence(SimulatedProcess process, long nanos) {
        world.afterwards(nanos, () -> {
            if (!world.isRecovering()) {
                cut(process.link(), true, false, 2 * process.ttlNanos());
            }
        });
    }

    private void beginAnew(SimulatedProcess process) {
        long ttlNanos = process.ttlNanos();
        long lateNanos = ttlNanos / 10 + random.below(ttlNanos / 10);
        long slowNanos = ttlNanos / 2 + random.below(ttlNanos);
        process.cling();
        process.link().cut(true, true);
        world.afterwards(3 * ttlNanos / 2, () -> {
            process.link().heal();
            if (!world.isRecovering()) {
                process.link().delayReplies(lateNanos);
                world.afterwards(slowNanos, () -> process.link().delayReplies(0));
                thenSilence(process, slowNanos + ttlNanos / 20);
            }
        });
    }

    private void cut(SimulatedLink link, boolean to, boolean from, long nanos) {
        link.cut(to, from);
        world.afterwards(nanos, link::heal);
    }
}
