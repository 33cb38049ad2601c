/** The words of a simulation: kinds of faults, marks of a trace, and its hash. */
@NullMarked
package dev.tenure.simulator.trace;

import org.jspecify.annotations.NullMarked;
