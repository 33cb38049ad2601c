// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

import java.util.EnumSet;

/** What can go wrong. Without any of these, everybody is prompt: nothing that can happen now waits for the next tick. */
public enum ModelFault {
    /** A message is under way for any number of ticks, and is overtaken. */
    LATE,
    LOSS,
    /** A call fails for sure: it has changed nothing and will not. */
    UNREACHABLE,
    /** A copy of a message arrives at any later time. */
    DUPLICATE,
    /** The loop of a node stands still for any number of ticks, while its duty runs on. */
    STUCK,
    /** The clock of a node misses a tick. */
    SLIP,
    /** A node and its monotonic clock stand still for a tick, while its wall clock runs on. */
    SUSPEND,
    /** A process dies and another one starts in its place. */
    CRASH,
    /** The store ends a session before its time. */
    REVOKE,
    /** The store goes back to an earlier state. */
    RESTORE,
    /** A candidacy is closed. */
    CLOSE;

    static ModelFault[] allBut(ModelFault spared) {
        return EnumSet.complementOf(EnumSet.of(spared)).toArray(ModelFault[]::new);
    }
}
