/** Rendezvous hashing of resources to nodes. */
@NullMarked
package dev.tenure.algorithms.sticky;

import org.jspecify.annotations.NullMarked;
