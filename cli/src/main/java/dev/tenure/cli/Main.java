package dev.tenure.cli;

import dev.tenure.cli.text.Console;

/** The {@code tenure} command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new Program(Console.system()).run(OwnArguments.decoded(args)));
    }
}
