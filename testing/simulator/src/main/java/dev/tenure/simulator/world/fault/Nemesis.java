// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world.fault;

import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.world.SimulatedWorld;
import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Strikes now and then, with a fault that its seed has drawn. Faults of single messages are the weather's. */
public final class Nemesis {
    /** These strike where something happens: a notification, a call of user code, the birth of a node. */
    private static final Set<FaultKind> BY_ITSELF = EnumSet.of(
            FaultKind.NOTICE_LOST,
            FaultKind.NOTICE_DUPLICATED,
            FaultKind.NOTICE_DELAYED,
            FaultKind.RESTART,
            FaultKind.PAUSE_BEFORE_WRITE,
            FaultKind.COARSE_TICKS,
            FaultKind.DEAD_LEASE_RENEWED,
            FaultKind.ACTIVATION_FAILS,
            FaultKind.DEACTIVATION_SLOW,
            FaultKind.DEACTIVATION_OVERDUE,
            FaultKind.DEACTIVATION_FAILS,
            FaultKind.FENCE_FAILS,
            FaultKind.WRITE_DELAYED,
            FaultKind.LISTENER_THROWS);

    private final SimulatedWorld world;
    private final SplitMix64 random;
    private final List<FaultKind> faults = new ArrayList<>();
    private final NetworkFaults network;
    private final ProcessFaults processes;
    private final ClockFaults clocks;
    private final StoreFaults stores;
    private final WorkFaults work;
    private long untilNanos;

    public Nemesis(SimulatedWorld world) {
        this.world = world;
        this.random = world.random().fork();
        this.network = new NetworkFaults(world, random);
        this.processes = new ProcessFaults(world, random);
        this.clocks = new ClockFaults(world, random);
        this.stores = new StoreFaults(world, random);
        this.work = new WorkFaults(world, random);
        faults.addAll(world.plan().faults);
        faults.removeAll(BY_ITSELF);
        faults.removeIf(fault -> fault.place() == FaultKind.Place.MESSAGE);
    }

    public void begin(long until) {
        untilNanos = until;
        if (!faults.isEmpty()) {
            next();
        }
        if (world.plan().userCode.hangs()) {
            nextCut();
        }
    }

    /** The code of many elections has to stop at the same time: that is where one of them could stand in the way of others. */
    private void nextCut() {
        world.afterwards(world.plan().ttlNanosMax() * (2 + random.below(3)), () -> {
            if (world.time().nanos() < untilNanos && !world.isRecovering()) {
                if (network.cutLeader()) {
                    world.counted(FaultKind.CUT_BOTH_WAYS, -1);
                }
                nextCut();
            }
        });
    }

    private void next() {
        world.afterwards(1 + random.below(2 * world.plan().nemesisNanos), () -> {
            if (world.time().nanos() < untilNanos && !world.isRecovering()) {
                inject(faults.get((int) random.below(faults.size())));
                next();
            }
        });
    }

    private void inject(FaultKind fault) {
        boolean struck = switch (fault.place()) {
            case NETWORK -> network.inject(fault);
            case PROCESS -> processes.inject(fault);
            case CLOCK -> clocks.inject(fault);
            case STORE, NOTICE -> stores.inject(fault);
            case WORK -> work.inject(fault);
            case MESSAGE, USER_CODE -> false;
        };
        if (struck) {
            world.counted(fault, -1);
        }
    }
}
