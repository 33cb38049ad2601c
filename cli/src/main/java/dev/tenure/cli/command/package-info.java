/**
 * What every verb is made of. {@link dev.tenure.cli.command.Usage} says what a verb takes, and {@link
 * dev.tenure.cli.command.Options} reads a command line by it: read these two first. The rest is how results are printed, and how a
 * failure becomes a sentence and an exit code.
 */
@NullMarked
package dev.tenure.cli.command;

import org.jspecify.annotations.NullMarked;
