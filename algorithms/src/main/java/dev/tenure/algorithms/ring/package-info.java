/** Elections on a ring: a list of ids, Chang and Roberts, Hirschberg and Sinclair. */
@NullMarked
package dev.tenure.algorithms.ring;

import org.jspecify.annotations.NullMarked;
