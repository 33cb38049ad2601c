// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a verb is used: the help, the parser and the shell completion are all made from this.
 *
 * @param summary one line, for the list of verbs
 * @param details sentences for its own help, or nothing
 * @param forms of which a command line has to have one
 */
public record Usage(String verb, String summary, String details, List<Form> forms, List<String> examples) {
    /** Of a verb with one form. */
    public Usage(String verb, String summary, String details, Form form, String... examples) {
        this(verb, summary, details, List.of(form), List.of(examples));
    }

    /** The options of all forms and {@code --help}, which every verb has. */
    public List<Option> options() {
        return Stream.concat(forms.stream().flatMap(Form::options), Stream.of(Option.HELP))
                .distinct()
                .toList();
    }

    public String help() {
        StringBuilder help = new StringBuilder("tenure " + verb + ": " + summary + "\n\n");
        forms.forEach(form -> help.append("  ").append(synopsis(form)).append('\n'));
        if (!details.isEmpty()) {
            help.append('\n').append(details.strip()).append('\n');
        }
        Table table = new Table("Options", "");
        options().forEach(option -> table.row("  " + option.spelling(), option.explanation()));
        help.append('\n');
        table.lines().forEach(line -> help.append(line).append('\n'));
        if (!examples.isEmpty()) {
            help.append("\nExamples\n");
            examples.forEach(example -> help.append("  ").append(example).append('\n'));
        }
        return help.toString();
    }

    String synopsis(Form form) {
        return "tenure " + verb + form.synopsis();
    }

    /**
     * One way to use a verb.
     *
     * @param operands separated by blanks: words to choose from ({@code show|raise}), a placeholder ({@code NAME}), or one that
     *     may be left out ({@code [NAME]}) and repeated ({@code [NAME…]})
     * @param completions what a shell offers for the operands: {@code run}, and {@code run bully} for what may follow it
     * @param command a placeholder for what follows {@code --}, or nothing
     */
    public record Form(
            List<String> operands, List<String> completions, List<Option> needed, List<Option> others, String command) {
        private static final int OTHERS_SHOWN_MAX = 7;

        /** Without options. */
        public static Form of(String operands) {
            List<String> each = Stream.of(operands.split(" "))
                    .filter(operand -> !operand.isEmpty())
                    .toList();
            List<String> words = each.isEmpty() ? List.of() : choices(each.get(0));
            return new Form(each, words, List.of(), List.of(), "");
        }

        public Form completing(List<String> words) {
            return new Form(operands, words, needed, others, command);
        }

        public Form needing(Option... options) {
            return new Form(operands, completions, List.of(options), others, command);
        }

        public Form taking(Option... options) {
            return taking(List.of(options));
        }

        public Form taking(List<Option> options) {
            return new Form(operands, completions, needed, options, command);
        }

        public Form running(String placeholder) {
            return new Form(operands, completions, needed, others, placeholder);
        }

        Stream<Option> options() {
            return Stream.concat(needed.stream(), others.stream());
        }

        /** The words that may stand there; none if anything may. */
        static List<String> choices(String operand) {
            return Character.isLowerCase(operand.charAt(0)) ? List.of(operand.split("\\|")) : List.of();
        }

        /** Can a command line of this form begin with this operand? */
        boolean beginsWith(String word) {
            return operands.isEmpty()
                    || choices(operands.get(0)).isEmpty()
                    || choices(operands.get(0)).contains(word);
        }

        private String synopsis() {
            Stream<String> optional = others.size() > OTHERS_SHOWN_MAX
                    ? Stream.of("[options]")
                    : others.stream().map(option -> "[" + option.spelling() + "]");
            return Stream.of(
                            operands.stream(),
                            needed.stream().map(Option::spelling),
                            optional,
                            command.isEmpty() ? Stream.<String>empty() : Stream.of("-- " + command))
                    .flatMap(parts -> parts)
                    .map(part -> " " + part)
                    .collect(Collectors.joining());
        }
    }
}
