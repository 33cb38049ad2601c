/** Worlds: nodes, processes, their work, what befalls them, and what is asked of them when all is well again. */
@NullMarked
package dev.tenure.simulator.world;

import org.jspecify.annotations.NullMarked;
