/** Who is alive, as far as one can tell by listening: a heartbeat failure detector. */
@NullMarked
package dev.tenure.algorithms.detector;

import org.jspecify.annotations.NullMarked;
