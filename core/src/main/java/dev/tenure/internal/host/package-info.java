/** The one place that touches clocks, threads and randomness: {@code Host} for production. */
@NullMarked
package dev.tenure.internal.host;

import org.jspecify.annotations.NullMarked;
