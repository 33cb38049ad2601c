/** The laboratory: runs the algorithms in virtual time, under faults, and counts. The same seed gives the same trace. */
@NullMarked
package dev.tenure.lab;

import org.jspecify.annotations.NullMarked;
