/**
 * Seeded worlds that run the production engine under faults: the way in, its options and its report. Read {@link
 * dev.tenure.simulator.Simulator} first. {@code world} has what runs, {@code check} what must hold.
 */
@NullMarked
package dev.tenure.simulator;

import org.jspecify.annotations.NullMarked;
