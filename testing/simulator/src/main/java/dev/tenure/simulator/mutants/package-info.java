/**
 * Planted bugs, and the proof that the simulator finds them. A mutant is a change of source text: production builds contain
 * no switch for it.
 */
@NullMarked
package dev.tenure.simulator.mutants;

import org.jspecify.annotations.NullMarked;
