package dev.tenure.cli.command;

import dev.tenure.cli.text.Console;

/** What {@code tenure} can do. */
public interface Verb {
    Usage usage();

    /**
     * Does it, and returns the exit code.
     *
     * @throws Exception whatever {@link Failure#of} can turn into a sentence
     */
    int run(Options options, Console console) throws Exception;
}
