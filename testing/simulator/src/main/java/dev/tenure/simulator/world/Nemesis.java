package dev.tenure.simulator.world;

import dev.tenure.simulator.trace.Fault;
import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.List;

/** Strikes now and then, with a fault that its seed has drawn. Faults of single messages are the weather's. */
final class Nemesis {
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
        for (Fault fault : world.plan().faults) {
            boolean strikes = switch (fault.place()) {
                case MESSAGE -> false;
                case NOTICE -> fault == Fault.WATCH_DIED || fault == Fault.NOTICE_SPURIOUS;
                default -> true;
            };
            if (strikes) {
                faults.add(fault);
            }
        }
    }

    void begin(long until) {
        untilNanos = until;
        if (!faults.isEmpty()) {
            next();
        }
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
            case MESSAGE -> false;
        };
        if (struck) {
            world.counted(fault, -1);
        }
    }
}
