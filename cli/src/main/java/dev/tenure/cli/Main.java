package dev.tenure.cli;

import dev.tenure.cli.process.Arguments;
import dev.tenure.cli.text.Console;
import java.util.List;

/** The {@code tenure} command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        LibraryLogs.silence();
        System.exit(new Program(Console.system()).run(Arguments.decoded(List.of(args))));
    }
}
