// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.check;

import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.fault.NodeSet;
import dev.tenure.testing.SplitMix64;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Draws faults. All are over when the quiet end of the run begins. */
final class FaultGenerator {
    static final long CALM_NANOS = 6_000_000_000L;
    static final long END_NANOS = 10_000_000_000L;

    private static final long MILLI = 1_000_000;
    private static final int FAULTS_MAX = 8;
    private static final int BOUNCES_MAX = 20;
    private static final int KINDS = 9;

    private final SplitMix64 random;
    private final int nodes;

    FaultGenerator(SplitMix64 random, int nodes) {
        this.random = random;
        this.nodes = nodes;
    }

    /**
     * Everything: crashes, pauses, partitions of all and of some, in one and two directions, lossy, slow and flapping links, slow disks.
     * In every second world much of it at once.
     */
    List<Fault> hostile() {
        List<Fault> faults = new ArrayList<>();
        if (random.below(2) == 0) {
            addStorm(faults);
        }
        long count = random.below(FAULTS_MAX + 1);
        for (int i = 0; i < count; i++) {
            addHostile(faults);
        }
        faults.add(new Fault.Recover(new NodeSet("*"), CALM_NANOS));
        return faults;
    }

    private void addHostile(List<Fault> faults) {
        long from = instant(CALM_NANOS - 100 * MILLI);
        long to = from + MILLI + instant(CALM_NANOS - from - MILLI);
        switch ((int) random.below(KINDS)) {
            case 0 -> addCrash(faults, from, to);
            case 1 -> faults.add(new Fault.Pause(anybody(), from, to));
            case 2 -> faults.add(new Fault.Partition(List.of(some(), new NodeSet("*")), from, to));
            case 3 -> faults.add(new Fault.OneWay(some(), new NodeSet("*"), from, to));
            case 4 -> faults.add(new Fault.Lossy(some(), some(), 10 + (int) random.below(60), from, to));
            case 5 -> faults.add(new Fault.Slow(some(), some(), (1 + random.below(400)) * MILLI, from, to));
            case 6 -> faults.add(new Fault.Partition(List.of(anybody(), some()), from, to));
            case 7 -> faults.add(new Fault.SlowDisk(some(), (1 + random.below(300)) * MILLI, from, to));
            default -> faults.add(new Fault.Flap(some(), some(), (20 + random.below(500)) * MILLI, from, to));
        }
    }

    /**
     * Messages are late by a term or several, come twice or not at all, disks are slow, two nodes do not hear each other, and a third one
     * crashes again and again and is back in a moment, without what was not on its disk: so that those two ask it about the same term.
     */
    private void addStorm(List<Fault> faults) {
        NodeSet all = new NodeSet("*");
        long from = random.below(2) == 0 ? 0 : instant(2_000 * MILLI);
        long to = from + 1_000 * MILLI + instant(3_000 * MILLI);
        long late = random.below(2) == 0 ? 20 + random.below(100) : 50 + random.below(500);
        faults.add(new Fault.Slow(all, all, late * MILLI, from, to));
        if (random.below(2) == 0) {
            faults.add(new Fault.Lossy(all, all, 1 + (int) random.below(50), from, to));
        }
        if (random.below(3) == 0) {
            faults.add(new Fault.SlowDisk(all, (1 + random.below(200)) * MILLI, from, to));
        }
        long victim = random.below(nodes);
        if (nodes > 2 && random.below(3) != 0) {
            faults.add(new Fault.Partition(List.of(node(victim + 1), node(victim + 2)), from, to));
        }
        if (nodes > 1 && random.below(2) == 0) {
            long every = (50 + random.below(300)) * MILLI;
            faults.add(new Fault.Flap(node(victim), node(victim + 1), every, from, to));
        }
        if (random.below(3) != 0) {
            faults.add(new Fault.Fragile(node(victim), (1 + random.below(30)) * MILLI, from, to));
        }
        addBounces(faults, random.below(2) == 0 ? Optional.of(node(victim)) : Optional.empty(), from, to);
    }

    private void addBounces(List<Fault> faults, Optional<NodeSet> always, long from, long to) {
        long bounces = random.below(BOUNCES_MAX);
        for (int i = 0; i < bounces; i++) {
            NodeSet who = always.orElseGet(() -> node(random.below(nodes)));
            long crash = from + instant(to - from);
            faults.add(new Fault.Crash(who, crash));
            faults.add(new Fault.Recover(who, crash + (1 + random.below(30)) * MILLI));
        }
    }

    /** Only partitions, in both directions or in one. */
    List<Fault> partitions() {
        List<Fault> faults = new ArrayList<>();
        long count = 1 + random.below(3);
        for (int i = 0; i < count; i++) {
            long from = instant(2_000 * MILLI);
            long to = from + 500 * MILLI + instant(2_500 * MILLI);
            faults.add(
                    random.below(2) == 0
                            ? new Fault.Partition(List.of(some(), new NodeSet("*")), from, to)
                            : new Fault.OneWay(some(), new NodeSet("*"), from, to));
        }
        return faults;
    }

    /** Only pauses. */
    List<Fault> pauses() {
        List<Fault> faults = new ArrayList<>();
        long count = 1 + random.below(2);
        for (int i = 0; i < count; i++) {
            long from = 500 * MILLI + instant(2_000 * MILLI);
            faults.add(new Fault.Pause(new NodeSet("leader"), from, from + 300 * MILLI + instant(1_500 * MILLI)));
        }
        return faults;
    }

    /** Only what the algorithms of reliable networks allow for: nodes crash, and some of them come back. */
    List<Fault> crashes() {
        List<Fault> faults = new ArrayList<>();
        long count = random.below(nodes + 2L);
        for (int i = 0; i < count; i++) {
            long from = instant(CALM_NANOS - 100 * MILLI);
            addCrash(faults, from, from + MILLI + instant(CALM_NANOS - from - MILLI));
        }
        return faults;
    }

    private void addCrash(List<Fault> faults, long from, long to) {
        NodeSet who = anybody();
        faults.add(new Fault.Crash(who, from));
        if (random.below(4) != 0) {
            faults.add(new Fault.Recover(who.text().equals("leader") ? new NodeSet("*") : who, to));
        }
    }

    private NodeSet anybody() {
        return random.below(3) == 0 ? new NodeSet("leader") : node(random.below(nodes));
    }

    private NodeSet node(long index) {
        return new NodeSet(Long.toString(1 + index % nodes));
    }

    /** At least one node, and not all. */
    private NodeSet some() {
        List<String> ids = new ArrayList<>();
        for (int id = 1; id <= nodes; id++) {
            if (random.below(2) == 0) {
                ids.add(Integer.toString(id));
            }
        }
        return ids.isEmpty() || ids.size() == nodes ? anybody() : new NodeSet(String.join(",", ids));
    }

    /** On whole milliseconds, so that what is found can be written down. */
    private long instant(long belowNanos) {
        return belowNanos < MILLI ? 0 : random.below(belowNanos / MILLI) * MILLI;
    }
}
