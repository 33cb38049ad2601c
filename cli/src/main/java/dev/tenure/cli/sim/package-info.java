/** {@code tenure sim}: the production engine under simulated faults. */
@NullMarked
package dev.tenure.cli.sim;

import org.jspecify.annotations.NullMarked;
