/**
 * A world in virtual time: its nodes, the processes on them, the candidacies of each process, and what is asked of them when all is
 * well again. Read {@link dev.tenure.simulator.world.SimulatedWorld} first, then {@code SimulatedProcess} and {@code RecoveryPhase}.
 */
@NullMarked
package dev.tenure.simulator.world;

import org.jspecify.annotations.NullMarked;
