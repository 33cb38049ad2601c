/**
 * The simulated machine under the production engine: its loop, its clocks and its threads. Read {@link
 * dev.tenure.simulator.host.SimHost} first: it is the {@code Host} that the engine is given, and faults make it late or stop it.
 */
@NullMarked
package dev.tenure.simulator.host;

import org.jspecify.annotations.NullMarked;
