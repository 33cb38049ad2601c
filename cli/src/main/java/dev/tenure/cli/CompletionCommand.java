// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code tenure completion}: a script for the user's shell, made from the usages of the verbs. */
final class CompletionCommand implements Command {
    @Override
    public Usage usage() {
        return new Usage(
                "completion",
                "print a completion script for a shell",
                "",
                Form.of("bash|zsh|fish"),
                "source <(tenure completion bash)",
                "source <(tenure completion zsh)",
                "tenure completion fish | source");
    }

    @Override
    public int run(Options options, Console console) {
        String script = switch (options.operand(0)) {
            case "fish" -> fish();
            case "zsh" -> "autoload -U +X bashcompinit && bashcompinit\n" + bash();
            default -> bash();
        };
        console.out().print(script);
        return ExitCode.OK;
    }

    private static String bash() {
        StringBuilder cases = new StringBuilder();
        for (Usage usage : Commands.usages()) {
            String words = names(usage.options().stream());
            String takes = names(usage.options().stream().filter(option -> !option.isFlag()));
            cases.append("        " + usage.verb() + ") words='" + words + "' operands='"
                    + operands(usage).collect(Collectors.joining(",")) + "' takes='" + takes + "' ;;\n");
        }
        try (InputStream script = CompletionCommand.class.getResourceAsStream("completion.bash")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8)
                    .replace("%VERBS%", String.join(" ", Commands.NAMES))
                    .replace("%CASES%", cases.toString());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String names(Stream<Option> options) {
        return options.map(Option::name).collect(Collectors.joining(" "));
    }

    private static String fish() {
        StringBuilder script = new StringBuilder("# Completion of tenure for fish.\ncomplete -c tenure -f\n");
        for (Usage usage : Commands.usages()) {
            String seen = "-n '__fish_seen_subcommand_from " + usage.verb() + "'";
            String summary = quoted(usage.summary());
            script.append("complete -c tenure -n __fish_use_subcommand -a " + usage.verb() + " -d " + summary + "\n");
            for (Option option : usage.options()) {
                String name = option.name().substring(2) + (option.isFlag() ? "" : " -x");
                script.append("complete -c tenure " + seen + " -l " + name + " -d " + quoted(option.help()) + "\n");
            }
            operands(usage).forEach(words -> {
                int last = words.lastIndexOf(' ') + 1;
                String before = (usage.verb() + " " + words.substring(0, last)).strip();
                script.append("complete -c tenure -n '__fish_seen_subcommand_from "
                        + before.replace(" ", "; and __fish_seen_subcommand_from ") + "' -a " + words.substring(last)
                        + "\n");
            });
        }
        return script.toString();
    }

    private static Stream<String> operands(Usage usage) {
        return usage.forms().stream().flatMap(form -> form.completions().stream());
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
