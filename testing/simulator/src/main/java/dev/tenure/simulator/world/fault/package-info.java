/**
 * What befalls a world: clocks, network, processes, stores and the work of leaders, a class each. Read {@link
 * dev.tenure.simulator.world.fault.Nemesis} first: it draws what comes next, and when. Every kind of fault is a constant of {@link
 * dev.tenure.simulator.trace.FaultKind}.
 */
@NullMarked
package dev.tenure.simulator.world.fault;

import org.jspecify.annotations.NullMarked;
