// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.fault;

import java.util.List;

/** Something that goes wrong, at an instant or from one to another. Its text is what {@link FaultText} reads. */
public sealed interface Fault {
    long fromNanos();

    List<NodeSet> sets();

    record Crash(NodeSet who, long fromNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(who);
        }

        @Override
        public String toString() {
            return "crash " + who + "@" + FaultText.time(fromNanos);
        }
    }

    /** Those of them that are down start again, with what is on their disks. */
    record Recover(NodeSet who, long fromNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(who);
        }

        @Override
        public String toString() {
            return "recover " + who + "@" + FaultText.time(fromNanos);
        }
    }

    /** They do nothing; messages and timers wait for them. */
    record Pause(NodeSet who, long fromNanos, long toNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(who);
        }

        @Override
        public String toString() {
            return "pause " + who + "@" + FaultText.window(fromNanos, toNanos);
        }
    }

    /** Every second time that they have said something, they crash at that instant, and start again after that time. */
    record Fragile(NodeSet who, long downNanos, long fromNanos, long toNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(who);
        }

        @Override
        public String toString() {
            return "fragile " + who + ":" + FaultText.time(downNanos) + "@" + FaultText.window(fromNanos, toNanos);
        }
    }

    /** What they write reaches their disks that much later, at most. */
    record SlowDisk(NodeSet who, long extraNanos, long fromNanos, long toNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(who);
        }

        @Override
        public String toString() {
            return "slow-disk " + who + ":" + FaultText.time(extraNanos) + "@" + FaultText.window(fromNanos, toNanos);
        }
    }

    /** Nothing gets from one set to another. */
    record Partition(List<NodeSet> sets, long fromNanos, long toNanos) implements Fault {
        @Override
        public String toString() {
            return "partition "
                    + String.join("|", sets.stream().map(NodeSet::text).toList()) + "@"
                    + FaultText.window(fromNanos, toNanos);
        }
    }

    /** Nothing gets from these to those. */
    record OneWay(NodeSet these, NodeSet those, long fromNanos, long toNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(these, those);
        }

        @Override
        public String toString() {
            return "one-way " + these + ">" + those + "@" + FaultText.window(fromNanos, toNanos);
        }
    }

    /** Of the messages between these and those that share are lost, and half as many come twice. */
    record Lossy(NodeSet these, NodeSet those, int percent, long fromNanos, long toNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(these, those);
        }

        @Override
        public String toString() {
            return "lossy " + these + "~" + those + ":" + percent + "%@" + FaultText.window(fromNanos, toNanos);
        }
    }

    /** Messages between these and those take that much longer, at most. */
    record Slow(NodeSet these, NodeSet those, long extraNanos, long fromNanos, long toNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(these, those);
        }

        @Override
        public String toString() {
            return "slow " + these + "~" + those + ":" + FaultText.time(extraNanos) + "@"
                    + FaultText.window(fromNanos, toNanos);
        }
    }

    /** The links between these and those are cut for that time, then whole for that time, and so on. */
    record Flap(NodeSet these, NodeSet those, long everyNanos, long fromNanos, long toNanos) implements Fault {
        @Override
        public List<NodeSet> sets() {
            return List.of(these, those);
        }

        @Override
        public String toString() {
            return "flap " + these + "~" + those + ":" + FaultText.time(everyNanos) + "@"
                    + FaultText.window(fromNanos, toNanos);
        }
    }
}
