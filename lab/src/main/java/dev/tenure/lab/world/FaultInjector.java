// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.world;

import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.fault.NodeSet;
import dev.tenure.lab.trace.TraceEvent;
import dev.tenure.testing.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** Lets the faults of an experiment happen. Who "leader" is, is asked when a fault begins. */
final class FaultInjector {
    private final World world;
    private final Network network;
    private final VirtualTime time;
    private final Experiment experiment;

    FaultInjector(World world, Network network, VirtualTime time, Experiment experiment) {
        this.world = world;
        this.network = network;
        this.time = time;
        this.experiment = experiment;
    }

    /** Those of the first instant happen right after the start. */
    void schedule() {
        time.at(0, () -> experiment.faults().forEach(fault -> time.at(fault.fromNanos(), () -> begin(fault))));
    }

    private void begin(Fault fault) {
        List<SortedSet<Integer>> sets = resolve(fault.sets());
        if (fault instanceof Fault.Crash) {
            sets.get(0).forEach(id -> world.node(id).crash());
        } else if (fault instanceof Fault.Recover) {
            sets.get(0).forEach(world::restart);
        } else if (fault instanceof Fault.Pause pause) {
            sets.get(0).forEach(id -> world.node(id).pause());
            time.at(
                    pause.toNanos(),
                    () -> sets.get(0).forEach(id -> world.node(id).resume()));
        } else if (fault instanceof Fault.SlowDisk slow) {
            during(
                    slow.toNanos(),
                    "slow disk " + shown(sets, ""),
                    () -> sets.get(0).forEach(id -> world.node(id).slowDisk(slow.extraNanos())),
                    () -> sets.get(0).forEach(id -> world.node(id).slowDisk(0)));
        } else if (fault instanceof Fault.Fragile fragile) {
            during(
                    fragile.toNanos(),
                    "fragile " + shown(sets, ""),
                    () -> sets.get(0).forEach(id -> world.node(id).fragile(OptionalLong.of(fragile.downNanos()))),
                    () -> sets.get(0).forEach(id -> world.node(id).fragile(OptionalLong.empty())));
        } else if (fault instanceof Fault.Partition partition) {
            during(
                    partition.toNanos(),
                    "cut " + shown(sets, " | "),
                    () -> across(network::cut, sets),
                    () -> across(network::heal, sets));
        } else {
            link(fault, sets.get(0), sets.get(1));
        }
    }

    private void link(Fault fault, SortedSet<Integer> these, SortedSet<Integer> those) {
        String name = shown(List.of(these, those), " ~ ");
        if (fault instanceof Fault.OneWay oneWay) {
            during(
                    oneWay.toNanos(),
                    "cut " + shown(List.of(these, those), " > "),
                    () -> each(these, those, network::cut),
                    () -> each(these, those, network::heal));
        } else if (fault instanceof Fault.Lossy lossy) {
            during(
                    lossy.toNanos(),
                    "lose " + lossy.percent() + "% " + name,
                    () -> both(these, those, (a, b) -> network.lose(a, b, lossy.percent())),
                    () -> both(these, those, (a, b) -> network.lose(a, b, 0)));
        } else if (fault instanceof Fault.Slow slow) {
            during(
                    slow.toNanos(),
                    "slow " + name,
                    () -> both(these, those, (a, b) -> network.slow(a, b, slow.extraNanos())),
                    () -> both(these, those, (a, b) -> network.slow(a, b, 0)));
        } else if (fault instanceof Fault.Flap flap) {
            flap(flap, these, those, name);
        }
    }

    private void flap(Fault.Flap flap, Set<Integer> these, Set<Integer> those, String name) {
        long from = time.nanos();
        long to = Math.min(from + flap.everyNanos(), flap.toNanos());
        during(to, "cut " + name, () -> both(these, those, network::cut), () -> both(these, those, network::heal));
        long next = to + flap.everyNanos();
        if (next < flap.toNanos()) {
            time.at(next, () -> flap(flap, these, those, name));
        }
    }

    private void during(long toNanos, String what, Runnable begin, Runnable end) {
        world.mark(0, TraceEvent.Kind.NETWORK, what);
        begin.run();
        time.at(toNanos, () -> {
            world.mark(0, TraceEvent.Kind.NETWORK, "over: " + what);
            end.run();
        });
    }

    private static void across(BiConsumer<Integer, Integer> change, List<SortedSet<Integer>> sides) {
        for (int i = 0; i < sides.size(); i++) {
            for (int j = 0; j < sides.size(); j++) {
                if (i != j) {
                    each(sides.get(i), sides.get(j), change);
                }
            }
        }
    }

    private static void both(Set<Integer> these, Set<Integer> those, BiConsumer<Integer, Integer> change) {
        each(these, those, change);
        each(those, these, change);
    }

    private static void each(Set<Integer> from, Set<Integer> to, BiConsumer<Integer, Integer> change) {
        from.forEach(a -> to.stream().filter(b -> !b.equals(a)).forEach(b -> change.accept(a, b)));
    }

    private List<SortedSet<Integer>> resolve(List<NodeSet> sets) {
        Set<Integer> named = new TreeSet<>();
        for (NodeSet set : sets) {
            if (!set.isRest()) {
                named.addAll(set.resolve(experiment.nodes(), world::leader));
            }
        }
        List<SortedSet<Integer>> resolved = new ArrayList<>();
        for (NodeSet set : sets) {
            SortedSet<Integer> ids = set.resolve(experiment.nodes(), world::leader);
            if (set.isRest()) {
                ids.removeAll(named);
            }
            resolved.add(ids);
        }
        return resolved;
    }

    private static String shown(List<SortedSet<Integer>> sets, String between) {
        return String.join(between, sets.stream().map(NodeSet::shortest).toList());
    }
}
