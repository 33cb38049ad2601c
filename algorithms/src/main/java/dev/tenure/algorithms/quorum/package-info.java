/** Votes of a majority, with terms and a durable vote. */
@NullMarked
package dev.tenure.algorithms.quorum;

import org.jspecify.annotations.NullMarked;
