/**
 * The words of a simulation: kinds of faults, marks of a trace, and its hash. Read {@link dev.tenure.simulator.trace.FaultKind}
 * first.
 */
@NullMarked
package dev.tenure.simulator.trace;

import org.jspecify.annotations.NullMarked;
