/** What every verb is made of: options, usage, exit codes, failures that are told in one sentence. */
@NullMarked
package dev.tenure.cli.command;

import org.jspecify.annotations.NullMarked;
