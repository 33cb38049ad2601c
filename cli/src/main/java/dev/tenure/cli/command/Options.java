package dev.tenure.cli.command;

import dev.tenure.cli.text.Printable;
import dev.tenure.spi.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A parsed command line: {@code --name value} or {@code --name=value}, flags, operands, and after {@code --} a command that
 * is not looked at. What is not given comes from the environment, where the option names a variable; an empty variable
 * counts as none.
 */
public final class Options {
    private static final int SHOWN_MAX = 60;
    private static final int WORD_SHOWN_MAX = 40;

    private final Usage usage;
    private final Map<String, String> environment;
    private final Map<String, String> given = new HashMap<>();
    private final List<String> operands = new ArrayList<>();
    private List<String> command = List.of();

    private Options(Usage usage, Map<String, String> environment) {
        this.usage = usage;
        this.environment = environment;
    }

    /** @throws Failure with {@link ExitCode#USAGE} and a sentence that says what is wrong */
    public static Options parse(Usage usage, List<String> words, Map<String, String> environment) {
        Options options = new Options(usage, environment);
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("--")) {
                options.command = List.copyOf(words.subList(i + 1, words.size()));
                return options;
            }
            if (word.equals("-h")) {
                options.given.put(Usage.HELP.name(), "");
            } else if (word.startsWith("-") && word.length() > 1) {
                i += options.take(word, i + 1 < words.size() ? Optional.of(words.get(i + 1)) : Optional.empty());
            } else {
                options.operands.add(word);
            }
        }
        return options;
    }

    /** Returns how many of the following words belong to this one. */
    private int take(String word, Optional<String> next) {
        int equals = word.indexOf('=');
        String name = equals < 0 ? word : word.substring(0, equals);
        Option option = find(name);
        if (given.containsKey(name)) {
            throw wrong(name + " stands twice");
        }
        if (option.isFlag()) {
            if (equals >= 0) {
                throw wrong(name + " takes no value");
            }
            given.put(name, "");
            return 0;
        }
        if (equals >= 0) {
            given.put(name, word.substring(equals + 1));
            return 0;
        }
        // A value that begins with dashes is nearly always the next option; --name=--value says what is meant.
        String value = next.filter(text -> !text.startsWith("--"))
                .orElseThrow(() -> wrong(name + " needs a value: " + name + " " + option.value()));
        given.put(name, value);
        return 1;
    }

    private Option find(String name) {
        List<Option> known = usage.allOptions();
        return known.stream()
                .filter(option -> option.name().equals(name))
                .findFirst()
                .orElseThrow(() -> wrong("unknown option " + shown(name)
                        + Spelling.suggestion(
                                name, known.stream().map(Option::name).toList())));
    }

    /** A usage error that names this verb's help. */
    public Failure wrong(String sentence) {
        return Failure.usage(sentence + " (see tenure " + usage.verb() + " --help)");
    }

    public boolean has(Option option) {
        return given.containsKey(option.name());
    }

    public Optional<String> value(Option option) {
        String text = given.get(option.name());
        if (text != null || option.variable().isEmpty()) {
            return Optional.ofNullable(text);
        }
        return Optional.ofNullable(environment.get(option.variable())).filter(set -> !set.isEmpty());
    }

    public Optional<Duration> duration(Option option) {
        String source = has(option) ? option.name() : option.variable();
        return value(option).map(text -> {
            Duration duration = DurationText.parse(source, Printable.line(text, SHOWN_MAX));
            if (duration.isZero()) {
                throw wrong(source + " '" + text + "' must be longer than nothing");
            }
            return duration;
        });
    }

    /** A number, or {@code otherwise} if none is given. */
    public long number(Option option, long otherwise, long min, long max) {
        String text = value(option).orElse(Long.toString(otherwise));
        String range = max == Long.MAX_VALUE ? " of at least " + min : " from " + min + " to " + max;
        String problem = option.name() + " '" + Printable.line(text, WORD_SHOWN_MAX) + "' is not a number" + range;
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
            throw wrong(problem);
        } catch (NumberFormatException notOne) {
            throw wrong(problem);
        }
    }

    public List<String> operands() {
        return operands;
    }

    /** The first operand, which has to be one of these words. */
    public String word(String kind, List<String> words, String question) {
        String word = operands.isEmpty() ? "" : operands.get(0);
        if (word.isEmpty()) {
            throw wrong(question);
        }
        if (!words.contains(word)) {
            throw wrong("unknown " + kind + " '" + Printable.line(word, WORD_SHOWN_MAX) + "'"
                    + Spelling.suggestion(word, words));
        }
        return word;
    }

    /** What follows {@code --}. */
    public List<String> command() {
        return command;
    }

    /** For verbs without a command. */
    public void refuseCommand() {
        if (!command.isEmpty()) {
            throw wrong("tenure " + usage.verb() + " runs no command: nothing may follow --");
        }
    }

    public void refuseOperands(int max) {
        refuseCommand();
        if (operands.size() > max) {
            throw wrong("'" + shown(operands.get(max)) + "' is one word too many");
        }
    }

    private static String shown(String text) {
        return Printable.line(text, SHOWN_MAX);
    }
}
