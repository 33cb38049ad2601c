/** What is known of a world, and one checker for each property that must hold in it. */
@NullMarked
package dev.tenure.simulator.check;

import org.jspecify.annotations.NullMarked;
