package dev.tenure.cli;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Spelling;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Printable;
import dev.tenure.spi.Redactor;
import java.util.List;

/** One call of {@code tenure}, from its words to its exit code. */
record Program(Console console) {
    private static final int SHOWN_MAX = 40;

    int run(List<String> words) {
        Redactor redactor = redactor(words);
        Logs.hide(redactor);
        Console careful = console.without(redactor);
        try {
            return dispatch(words, careful);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERNAL;
        } catch (Exception thrown) {
            return report(Failure.of(thrown), careful);
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

    private static int report(Failure failure, Console console) {
        console.say(failure.sentence());
        if (console.isDebugging()) {
            console.trace(failure);
        }
        return failure.code();
    }

    private static int dispatch(List<String> words, Console console) throws Exception {
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
