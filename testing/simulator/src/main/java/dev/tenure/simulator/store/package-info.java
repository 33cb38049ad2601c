/** Stores behind both doors, and the network on which each process reaches them. */
@NullMarked
package dev.tenure.simulator.store;

import org.jspecify.annotations.NullMarked;
