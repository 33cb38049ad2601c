/** The bully algorithm of Garcia-Molina. */
@NullMarked
package dev.tenure.algorithms.bully;

import org.jspecify.annotations.NullMarked;
