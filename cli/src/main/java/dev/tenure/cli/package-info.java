/**
 * The {@code tenure} command. {@link dev.tenure.cli.Main} finds the verb that was asked for, runs it, and turns what went wrong
 * into one sentence and an exit code. Read {@link dev.tenure.cli.Commands} for the list of verbs, and then the class of a verb in
 * the package beside this one that has its name.
 */
@NullMarked
package dev.tenure.cli;

import org.jspecify.annotations.NullMarked;
