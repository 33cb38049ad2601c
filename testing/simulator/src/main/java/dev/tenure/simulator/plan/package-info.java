/**
 * What is drawn for a seed before its world begins: sizes, times, the store, the faults that may come, and how user code behaves.
 * Read {@link dev.tenure.simulator.plan.Plan} first. Nothing in here changes while a world runs.
 */
@NullMarked
package dev.tenure.simulator.plan;

import org.jspecify.annotations.NullMarked;
