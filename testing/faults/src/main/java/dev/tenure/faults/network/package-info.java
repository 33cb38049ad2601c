/** The way from a candidate to the servers, which can be cut in both directions, in one, or made slow. */
@NullMarked
package dev.tenure.faults.network;

import org.jspecify.annotations.NullMarked;
