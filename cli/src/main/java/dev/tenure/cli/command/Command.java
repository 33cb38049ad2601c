// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

/** What {@code tenure} can do. */
public interface Command {
    Usage usage();

    /**
     * Does it, and returns the exit code.
     *
     * @throws Exception whatever {@link CliException#of} can turn into a sentence
     */
    int run(Options options, Console console) throws Exception;
}
