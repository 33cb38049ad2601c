/**
 * The classic election algorithms, each a pure state machine behind one seam: {@link dev.tenure.algorithms.Machine}. No clock, no
 * thread, no chance and no network in here; the code that runs a machine brings them.
 */
@NullMarked
package dev.tenure.algorithms;

import org.jspecify.annotations.NullMarked;
