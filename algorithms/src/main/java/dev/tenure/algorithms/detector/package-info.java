/** A heartbeat failure detector: which nodes are alive, as far as their messages show. */
@NullMarked
package dev.tenure.algorithms.detector;

import org.jspecify.annotations.NullMarked;
