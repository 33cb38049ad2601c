/**
 * Planted bugs, and the proof that the simulator finds them. A mutant is a change of source text: production builds contain
 * no switch for it. Read {@link dev.tenure.simulator.mutants.Mutants} first, then {@link dev.tenure.simulator.mutants.MutantHunt}.
 */
@NullMarked
package dev.tenure.simulator.mutants;

import org.jspecify.annotations.NullMarked;
