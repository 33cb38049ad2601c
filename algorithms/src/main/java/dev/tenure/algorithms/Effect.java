// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import java.util.List;

/** What a machine wants done, in order. */
public sealed interface Effect {
    /** The role that all algorithms but the sticky one elect for. */
    String LEADER = "leader";

    /** No lease: the belief holds until the machine says otherwise. */
    long FOREVER = Long.MAX_VALUE;

    record Send(int to, Message message) implements Effect {}

    /**
     * Sets the timer of that name, and replaces it if it runs. The host draws the time from the range: chance comes from
     * outside.
     */
    record SetTimer(String timer, long minNanos, long maxNanos) implements Effect {
        public SetTimer {
            if (minNanos < 0 || maxNanos < minNanos) {
                throw new IllegalArgumentException("timer " + timer + " from " + minNanos + " to " + maxNanos);
            }
        }

        public static SetTimer exactly(String timer, long nanos) {
            return new SetTimer(timer, nanos, nanos);
        }
    }

    record CancelTimer(String timer) implements Effect {}

    /**
     * Replaces the node's durable record, and does the rest only when it is surely on the disk. Records reach the disk in the
     * order of their effects. A crash in between leaves either record, and the rest undone. In the rest belongs what others hear, and
     * not what tells the node's own standing: by then it may have another one.
     */
    record Persist(Durable saved, List<Effect> then) implements Effect {
        public Persist {
            then = List.copyOf(then);
        }
    }

    /**
     * From now on this node believes that it leads, until that instant of its own clock.
     *
     * @param term 0 where the algorithm knows none
     */
    record Lead(String role, long term, long untilNanos) implements Effect {}

    record Follow(String role, int leader, long term) implements Effect {}

    /** From now on this node knows of no leader. */
    record Undecided(String role, long term) implements Effect {}

    /** Only from a failure detector: hand {@link Event.Suspected} to the machine beside it. */
    record Suspect(int peer) implements Effect {}

    /** Only from a failure detector: hand {@link Event.Recovered} to the machine beside it. */
    record Trust(int peer) implements Effect {}
}
