/** Messages and time against theory. */
@NullMarked
package dev.tenure.lab.compare;

import org.jspecify.annotations.NullMarked;
