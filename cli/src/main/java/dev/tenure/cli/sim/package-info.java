/**
 * {@code tenure sim}: the production engine under simulated faults. The simulator is a module of its own; here options become
 * worlds, and a report becomes text or JSON. There is one class to read, {@link dev.tenure.cli.sim.SimCommand}.
 */
@NullMarked
package dev.tenure.cli.sim;

import org.jspecify.annotations.NullMarked;
