// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import dev.tenure.cli.command.Usage.Form;
import dev.tenure.spi.DurationText;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
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

    private final Usage usage;
    private final Map<String, String> environment;
    private final Map<String, String> given = new HashMap<>();
    private final List<String> operands = new ArrayList<>();
    private List<String> command = List.of();

    private Options(Usage usage, Map<String, String> environment) {
        this.usage = usage;
        this.environment = environment;
    }

    /**
     * Finds the form of the verb that this is, unless help is asked for.
     *
     * @throws CliException with {@link ExitCode#USAGE} and a sentence that says what is wrong
     */
    public static Options parse(Usage usage, List<String> words, Map<String, String> environment) {
        Options options = new Options(usage, environment);
        options.read(words);
        if (!options.has(Option.HELP)) {
            options.check();
        }
        return options;
    }

    private void read(List<String> words) {
        Deque<String> left = new ArrayDeque<>(words);
        while (!left.isEmpty()) {
            String word = left.pop();
            if (word.equals("--")) {
                command = List.copyOf(left);
                return;
            }
            if (word.equals("-h")) {
                given.put(Option.HELP.name(), "");
            } else if (word.startsWith("-") && word.length() > 1) {
                take(word, left);
            } else {
                operands.add(word);
            }
        }
    }

    private void take(String word, Deque<String> left) {
        String[] parts = word.split("=", 2);
        String name = parts[0];
        Option option = find(name);
        if (given.containsKey(name)) {
            throw wrong(name + " stands twice");
        }
        if (option.isFlag() && parts.length > 1) {
            throw wrong(name + " takes no value");
        }
        // A value that begins with dashes is nearly always the next option; --name=--value says what is meant.
        boolean needsNext = !option.isFlag() && parts.length == 1;
        if (needsNext && (left.isEmpty() || left.peek().startsWith("--"))) {
            throw wrong(name + " needs a value: " + name + " " + option.value());
        }
        given.put(name, needsNext ? left.pop() : option.isFlag() ? "" : parts[1]);
    }

    private Option find(String name) {
        List<Option> known = usage.options();
        return known.stream()
                .filter(option -> option.name().equals(name))
                .findFirst()
                .orElseThrow(() -> wrong("unknown option " + shown(name)
                        + suggestion(name, known.stream().map(Option::name).toList())));
    }

    private void check() {
        Form form = form();
        String synopsis = usage.synopsis(form);
        for (int i = 0; i < form.operands().size(); i++) {
            String operand = form.operands().get(i);
            if (i < operands.size()) {
                requireOneOf(Form.choices(operand), operands.get(i));
            } else if (!operand.startsWith("[")) {
                throw wrong(operand.replace("|", " or ") + " is missing: " + synopsis);
            }
        }
        boolean repeats = form.operands().stream().anyMatch(operand -> operand.endsWith("…]"));
        if (!repeats && operands.size() > form.operands().size()) {
            String extra = shown(operands.get(form.operands().size()));
            throw wrong("'" + extra + "' is one word too many: " + synopsis);
        }
        form.needed().stream()
                .filter(option -> value(option).isEmpty())
                .findFirst()
                .ifPresent(option -> {
                    throw wrong(option.name() + " is missing: " + synopsis);
                });
        List<Option> taken = form.options().toList();
        usage.options().stream()
                .filter(option -> has(option) && !taken.contains(option))
                .findFirst()
                .ifPresent(option -> {
                    throw wrong(option.name() + " does not go with " + synopsis);
                });
        if (form.command().isEmpty() && !command.isEmpty()) {
            throw wrong("tenure " + usage.verb() + " runs no command: nothing may follow --");
        }
        if (!form.command().isEmpty() && (command.isEmpty() || command.get(0).isEmpty())) {
            throw wrong("the command is missing: " + synopsis);
        }
    }

    /** The one that the first operand chooses; of several, the one with most of what it needs. */
    private Form form() {
        String first = operands.isEmpty() ? "" : operands.get(0);
        List<Form> forms =
                usage.forms().stream().filter(form -> form.beginsWith(first)).toList();
        if (forms.isEmpty()) {
            List<String> words = usage.forms().stream()
                    .flatMap(form -> Form.choices(form.operands().get(0)).stream())
                    .distinct()
                    .toList();
            throw first.isEmpty()
                    ? wrong("a word is missing: " + (words.size() > 1 ? "one of " : "") + String.join(", ", words))
                    : unknown(words, first);
        }
        return forms.stream()
                .filter(form -> form.needed().stream().allMatch(this::has))
                .max(Comparator.comparingInt(form -> form.needed().size()))
                .orElse(forms.get(0));
    }

    /** Refuses a word that is not one of these, if there are any. */
    public void requireOneOf(List<String> choices, String word) {
        if (!choices.isEmpty() && !choices.contains(word)) {
            throw unknown(choices, word);
        }
    }

    private CliException unknown(List<String> choices, String word) {
        String nearest = suggestion(word, choices);
        return wrong("unknown word '" + shown(word) + "'"
                + (nearest.isEmpty() ? ": one of " + String.join(", ", choices) : nearest));
    }

    /** A usage error that names this verb's help. */
    public CliException wrong(String sentence) {
        return CliException.usage(sentence + " (see tenure " + usage.verb() + " --help)");
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
            Duration duration = DurationText.parse(source, shown(text));
            if (duration.isZero()) {
                throw wrong(source + " '" + text + "' must be longer than nothing");
            }
            return duration;
        });
    }

    /** The value of an option that its form needs. */
    public String needed(Option option) {
        return value(option).filter(text -> !text.isBlank()).orElseThrow(() -> wrong(option.name() + " is empty"));
    }

    /** A number, or {@code otherwise} if none is given. */
    public long number(Option option, long otherwise, long min, long max) {
        String text = value(option).orElse(Long.toString(otherwise));
        String range = max == Long.MAX_VALUE ? " of at least " + min : " from " + min + " to " + max;
        String problem = option.name() + " '" + shown(text) + "' is not a number" + range;
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notOne) {
            throw wrong(problem);
        }
        throw wrong(problem);
    }

    public List<String> operands() {
        return operands;
    }

    /** The operand in this place, which a form of the verb asks for. */
    public String operand(int index) {
        return operands.get(index);
    }

    /** What follows {@code --}. */
    public List<String> command() {
        return command;
    }

    /** What somebody typed, as far as a sentence needs it. */
    public static String shown(String text) {
        return TerminalText.line(text, SHOWN_MAX);
    }

    /** A question to add to a sentence: the candidate with the fewest letters to change, if it may be a typing error. */
    public static String suggestion(String typed, Collection<String> candidates) {
        int changesMax = Math.max(1, typed.replace("-", "").length() / 3);
        return candidates.stream()
                .min(Comparator.comparingInt(candidate -> distance(typed, candidate)))
                .filter(nearest -> distance(typed, nearest) <= changesMax)
                .map(nearest -> "; did you mean " + nearest + "?")
                .orElse("");
    }

    // Letters to insert, remove, replace, or swap with their neighbour.
    private static int distance(String from, String to) {
        int[][] changes = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                int fewest = i == 0 || j == 0 ? i + j : Math.min(changes[i - 1][j], changes[i][j - 1]) + 1;
                if (i > 0 && j > 0) {
                    int replaced = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                    fewest = Math.min(fewest, changes[i - 1][j - 1] + replaced);
                }
                boolean pairs = i > 1 && j > 1;
                if (pairs && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1)) {
                    fewest = Math.min(fewest, changes[i - 2][j - 2] + 1);
                }
                changes[i][j] = fewest;
            }
        }
        return changes[from.length()][to.length()];
    }
}
