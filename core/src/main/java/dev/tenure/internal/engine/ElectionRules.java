package dev.tenure.internal.engine;

import dev.tenure.ElectionName;
import dev.tenure.Overdue;

/**
 * How one candidacy stands, as the machine needs to know it.
 *
 * @param standBackNanos how long it lets others go first after it resigned
 */
public record ElectionRules(
        ElectionName election,
        String holder,
        long drainNanos,
        long coolDownNanos,
        long standBackNanos,
        boolean repeats,
        boolean fenced,
        boolean standoff,
        Overdue overdue) {}
