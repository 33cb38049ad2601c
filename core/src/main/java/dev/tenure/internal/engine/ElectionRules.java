package dev.tenure.internal.engine;

import dev.tenure.Overdue;

/**
 * How a process stands in elections, as the machine needs to know it. The election itself is not part of it: thousands of
 * them have the same rules.
 *
 * @param standBackNanos how long it lets others go first after it resigned
 */
public record ElectionRules(
        String holder,
        long drainNanos,
        long coolDownNanos,
        long standBackNanos,
        boolean repeats,
        boolean fenced,
        boolean standoff,
        Overdue overdue) {
    public ElectionRules withHolder(String name) {
        return new ElectionRules(name, drainNanos, coolDownNanos, standBackNanos, repeats, fenced, standoff, overdue);
    }

    public ElectionRules withDrain(long nanos) {
        return new ElectionRules(holder, nanos, coolDownNanos, standBackNanos, repeats, fenced, standoff, overdue);
    }

    public ElectionRules withCoolDown(long nanos) {
        return new ElectionRules(holder, drainNanos, nanos, standBackNanos, repeats, fenced, standoff, overdue);
    }

    public ElectionRules withStandBack(long nanos) {
        return new ElectionRules(holder, drainNanos, coolDownNanos, nanos, repeats, fenced, standoff, overdue);
    }

    public ElectionRules withOverdue(Overdue action) {
        return new ElectionRules(holder, drainNanos, coolDownNanos, standBackNanos, repeats, fenced, standoff, action);
    }

    public ElectionRules repeating() {
        return new ElectionRules(holder, drainNanos, coolDownNanos, standBackNanos, true, fenced, standoff, overdue);
    }

    public ElectionRules withFences() {
        return new ElectionRules(holder, drainNanos, coolDownNanos, standBackNanos, repeats, true, standoff, overdue);
    }
}
