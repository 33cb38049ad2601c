package dev.tenure.cli;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Spelling;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Printable;
import java.util.List;

/** One call of {@code tenure}, from its words to its exit code. */
final class Program {
    private static final int SHOWN_MAX = 40;

    private final Console console;

    Program(Console console) {
        this.console = console;
    }

    int run(List<String> words) {
        try {
            return dispatch(words);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERNAL;
        } catch (Exception thrown) {
            return report(Failure.of(thrown));
        }
    }

    private int report(Failure failure) {
        console.say(failure.sentence());
        if (console.isDebugging()) {
            console.trace(failure);
        }
        return failure.code();
    }

    private int dispatch(List<String> words) throws Exception {
        if (words.isEmpty()) {
            throw Failure.usage("what shall it be? One of " + String.join(", ", Verbs.NAMES) + " (see tenure help)");
        }
        String name = switch (words.get(0)) {
            case "-h", "--help" -> "help";
            case "-V", "--version" -> "version";
            default -> words.get(0);
        };
        Verb verb = Verbs.find(name).orElseThrow(() -> unknown(name));
        Options options = Options.parse(verb.usage(), words.subList(1, words.size()), console.environment());
        if (options.has(Usage.HELP)) {
            console.out().print(verb.usage().help());
            return ExitCode.OK;
        }
        return verb.run(options, console);
    }

    static Failure unknown(String name) {
        boolean option = name.startsWith("-");
        return Failure.usage((option ? "the verb comes first, not the option " : "unknown verb ")
                + Printable.line(name, SHOWN_MAX)
                + (option ? "" : Spelling.suggestion(name, Verbs.NAMES)) + " (see tenure help)");
    }
}
