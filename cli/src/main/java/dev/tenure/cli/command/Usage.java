package dev.tenure.cli.command;

import dev.tenure.cli.text.Table;
import java.util.List;
import java.util.stream.Stream;

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
        return Stream.concat(options.stream(), Stream.of(HELP)).toList();
    }

    public String help() {
        StringBuilder help = new StringBuilder("tenure " + verb + ": " + summary + "\n\n");
        synopsis.forEach(form -> help.append("  tenure ").append(form).append('\n'));
        if (!details.isEmpty()) {
            help.append('\n').append(details.strip()).append('\n');
        }
        Table table = new Table("Options", "");
        allOptions().forEach(option -> table.row("  " + option.spelling(), option.explanation()));
        help.append('\n');
        table.lines().forEach(line -> help.append(line).append('\n'));
        if (!examples.isEmpty()) {
            help.append("\nExamples\n");
            examples.forEach(example -> help.append("  ").append(example).append('\n'));
        }
        return help.toString();
    }
}
