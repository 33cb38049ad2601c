/** Seeded worlds that run the production engine under faults. */
@NullMarked
package dev.tenure.simulator;

import org.jspecify.annotations.NullMarked;
