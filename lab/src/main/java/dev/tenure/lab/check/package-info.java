/** Properties over many seeds, and the search for counter-examples. */
@NullMarked
package dev.tenure.lab.check;

import org.jspecify.annotations.NullMarked;
