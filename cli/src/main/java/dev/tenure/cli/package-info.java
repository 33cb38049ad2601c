/** The {@code tenure} command: finds the verb, runs it, and turns what went wrong into one sentence and an exit code. */
@NullMarked
package dev.tenure.cli;

import org.jspecify.annotations.NullMarked;
