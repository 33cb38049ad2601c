package dev.tenure.cli.command;

import java.util.List;

/**
 * How a verb is used: the help, the parser and the shell completion are all made from this.
 *
 * @param synopsis what follows {@code tenure}, one line per form
 * @param summary one line, for the list of verbs
 * @param details sentences for its own help, or nothing
 * @param words what may stand as its operands, where that is a closed list: {@code run}, and {@code run bully} for what may
 *     follow it
 */
public record Usage(
        String verb,
        List<String> synopsis,
        String summary,
        String details,
        List<Option> options,
        List<String> words,
        List<String> examples) {
    public static final Option HELP = Option.flag("--help", "show this");

    /** The options and {@code --help}, which every verb has. */
    public List<Option> allOptions() {
        List<Option> all = new java.util.ArrayList<>(options);
        all.add(HELP);
        return all;
    }

    public String help() {
        StringBuilder help = new StringBuilder("tenure " + verb + ": " + summary + "\n\n");
        synopsis.forEach(form -> help.append("  tenure ").append(form).append('\n'));
        if (!details.isEmpty()) {
            help.append('\n').append(details.strip()).append('\n');
        }
        help.append("\nOptions\n");
        int width = allOptions().stream()
                .mapToInt(option -> option.spelling().length())
                .max()
                .orElse(0);
        for (Option option : allOptions()) {
            String spelling = option.spelling();
            String gap = " ".repeat(width - spelling.length() + 2);
            help.append("  " + spelling + gap + option.explanation() + "\n");
        }
        if (!examples.isEmpty()) {
            help.append("\nExamples\n");
            examples.forEach(example -> help.append("  ").append(example).append('\n'));
        }
        return help.toString();
    }
}
