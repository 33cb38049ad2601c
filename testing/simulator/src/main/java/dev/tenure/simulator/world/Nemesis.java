package dev.tenure.simulator.world;

import dev.tenure.simulator.trace.Fault;
import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Strikes now and then, with a fault that its seed has drawn. Faults of single messages are the weather's. */
final class Nemesis {
    /** These strike where something happens: a notification, a call of user code, the birth of a node. */
    private static final Set<Fault> BY_ITSELF = EnumSet.of(
            Fault.NOTICE_LOST,
            Fault.NOTICE_DUPLICATED,
            Fault.NOTICE_DELAYED,
            Fault.RESTART,
            Fault.PAUSE_BEFORE_WRITE,
            Fault.COARSE_TICKS,
            Fault.DEAD_LEASE_RENEWED,
            Fault.ACTIVATION_FAILS,
            Fault.DEACTIVATION_SLOW,
            Fault.DEACTIVATION_OVERDUE,
            Fault.DEACTIVATION_FAILS,
            Fault.FENCE_FAILS,
            Fault.WRITE_DELAYED,
            Fault.LISTENER_THROWS);

    private final World world;
    private final SplitMix64 random;
    private final List<Fault> faults = new ArrayList<>();
    private final NetworkFaults network;
    private final ProcessFaults processes;
    private final ClockFaults clocks;
    private final StoreFaults stores;
    private final WorkFaults work;
    private long untilNanos;

    Nemesis(World world) {
        this.world = world;
        this.random = world.random().fork();
        this.network = new NetworkFaults(world, random);
        this.processes = new ProcessFaults(world, random);
        this.clocks = new ClockFaults(world, random);
        this.stores = new StoreFaults(world, random);
        this.work = new WorkFaults(world, random);
        faults.addAll(world.plan().faults);
        faults.removeAll(BY_ITSELF);
        faults.removeIf(fault -> fault.place() == Fault.Place.MESSAGE);
    }

    void begin(long until) {
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
            if (world.time().nanos() < untilNanos && !world.isCalm()) {
                if (network.cutLeader()) {
                    world.counted(Fault.CUT_BOTH_WAYS, -1);
                }
                nextCut();
            }
        });
    }

    private void next() {
        world.afterwards(1 + random.below(2 * world.plan().nemesisNanos), () -> {
            if (world.time().nanos() < untilNanos && !world.isCalm()) {
                strike(faults.get((int) random.below(faults.size())));
                next();
            }
        });
    }

    private void strike(Fault fault) {
        boolean struck = switch (fault.place()) {
            case NETWORK -> network.strike(fault);
            case PROCESS -> processes.strike(fault);
            case CLOCK -> clocks.strike(fault);
            case STORE, NOTICE -> stores.strike(fault);
            case WORK -> work.strike(fault);
            case MESSAGE, USER_CODE -> false;
        };
        if (struck) {
            world.counted(fault, -1);
        }
    }
}
