/** Runs that have a name, and the small files that describe them. */
@NullMarked
package dev.tenure.lab.scenario;

import org.jspecify.annotations.NullMarked;
