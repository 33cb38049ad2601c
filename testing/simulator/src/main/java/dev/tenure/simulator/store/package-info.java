/**
 * What all simulated stores have in common: the network on which each process reaches them, their clocks, and when they do not
 * answer. Read {@link dev.tenure.simulator.store.SimulatedLink} first, then {@link dev.tenure.simulator.store.Call}, a request
 * and its answer. The stores are in {@code lease} and {@code session}.
 */
@NullMarked
package dev.tenure.simulator.store;

import org.jspecify.annotations.NullMarked;
