// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.process.RawCommandLine;
import dev.tenure.spi.Redactor;
import java.util.List;

/** The {@code tenure} command: one call, from its words to its exit code. */
public final class Main {
    private final Console console;

    Main(Console console) {
        this.console = console;
    }

    public static void main(String[] args) {
        StderrLoggerFinder.LibraryLogs.silence();
        System.exit(new Main(Console.system()).run(RawCommandLine.decoded(List.of(args))));
    }

    int run(List<String> words) {
        Redactor redactor = redactor(words);
        StderrLoggerFinder.hide(redactor);
        Console careful = console.without(redactor);
        try {
            return dispatch(words, careful);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERNAL;
        } catch (Exception thrown) {
            return report(CliException.of(thrown), careful);
        }
    }

    /** Knows the secrets of every URL that was given, also of one in the wrong place; what follows -- is not ours. */
    private Redactor redactor(List<String> words) {
        Redactor redactor = Redactor.of(console.environment().getOrDefault(StoreOptions.URL.variable(), ""));
        String before = "";
        for (String word : words) {
            if (word.equals("--")) {
                break;
            }
            String value = word.replaceFirst("^--[a-z-]+=", "");
            boolean url = value.contains(":") || before.equals(StoreOptions.URL.name()); // an election may be a/b@c
            redactor = url ? redactor.andOf(value) : redactor;
            before = word;
        }
        return redactor;
    }

    private static int report(CliException failure, Console console) {
        console.say(failure.sentence());
        if (console.isDebugging()) {
            console.trace(failure);
        }
        return failure.code();
    }

    private static int dispatch(List<String> words, Console console) throws Exception {
        if (words.isEmpty()) {
            throw CliException.usage(
                    "no verb is given: one of " + String.join(", ", Commands.NAMES) + " (see tenure help)");
        }
        String name = switch (words.get(0)) {
            case "-h", "--help" -> "help";
            case "-V", "--version" -> "version";
            default -> words.get(0);
        };
        if (name.startsWith("-")) {
            throw CliException.usage("the verb comes first, not the option " + Options.shown(name)
                    + ": tenure VERB [options] (see tenure help)");
        }
        Command command = Commands.find(name);
        Options options = Options.parse(command.usage(), words.subList(1, words.size()), console.environment());
        if (options.has(Option.HELP)) {
            console.out().print(command.usage().help());
            return ExitCode.OK;
        }
        return command.run(options, console);
    }
}
