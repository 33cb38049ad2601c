// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.OverduePolicy;

/**
 * How a process stands in elections, as the machine needs to know it. The election itself is not part of it: thousands of
 * them have the same rules.
 */
public record ElectionRules(
        long drainNanos, long coolDownNanos, boolean repeats, boolean fenced, boolean standoff, OverduePolicy overdue) {
    public ElectionRules withDrain(long nanos) {
        return new ElectionRules(nanos, coolDownNanos, repeats, fenced, standoff, overdue);
    }

    public ElectionRules withCoolDown(long nanos) {
        return new ElectionRules(drainNanos, nanos, repeats, fenced, standoff, overdue);
    }

    public ElectionRules withOverdue(OverduePolicy action) {
        return new ElectionRules(drainNanos, coolDownNanos, repeats, fenced, standoff, action);
    }

    public ElectionRules repeating() {
        return new ElectionRules(drainNanos, coolDownNanos, true, fenced, standoff, overdue);
    }

    public ElectionRules withFences() {
        return new ElectionRules(drainNanos, coolDownNanos, repeats, true, standoff, overdue);
    }
}
