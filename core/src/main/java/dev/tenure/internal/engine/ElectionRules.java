package dev.tenure.internal.engine;

import dev.tenure.ElectionName;
import dev.tenure.Overdue;

/** How one candidacy stands, as the machine needs to know it. */
public record ElectionRules(
        ElectionName election,
        String holder,
        long drainNanos,
        long coolDownNanos,
        boolean repeats,
        boolean fenced,
        boolean standoff,
        Overdue overdue) {}
