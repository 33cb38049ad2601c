package dev.tenure.cli;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code tenure completion}: a script for the user's shell, made from the usages of the verbs. */
final class CompletionVerb implements Verb {
    private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    @Override
    public Usage usage() {
        return new Usage(
                "completion",
                List.of("completion bash|zsh|fish"),
                "print a completion script for a shell",
                "",
                List.of(),
                SHELLS,
                List.of(
                        "source <(tenure completion bash)",
                        "source <(tenure completion zsh)",
                        "tenure completion fish | source"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(1);
        String script = switch (options.word("shell", SHELLS, "for which shell? bash, zsh or fish")) {
            case "fish" -> fish();
            case "zsh" -> "autoload -U +X bashcompinit && bashcompinit\n" + bash();
            default -> bash();
        };
        console.out().print(script);
        return ExitCode.OK;
    }

    private static String bash() {
        StringBuilder cases = new StringBuilder();
        for (Usage usage : Verbs.all().stream().map(Verb::usage).toList()) {
            String words = names(usage.allOptions().stream());
            String takes = names(usage.options().stream().filter(option -> !option.isFlag()));
            cases.append("        " + usage.verb() + ") words='" + words + "' operands='"
                    + String.join(",", usage.words()) + "' takes='" + takes + "' ;;\n");
        }
        return """
                # Completion of tenure for bash; after bashcompinit also for zsh.
                _tenure() {
                    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= operands= takes= given= entry i
                    COMPREPLY=()
                    if [ "$COMP_CWORD" -eq 1 ]; then
                        COMPREPLY=($(compgen -W '%VERBS%' -- "$current"))
                        return
                    fi
                    case ${COMP_WORDS[1]} in
                %CASES%        *) return ;;
                    esac
                    # After -- comes a command, and then whatever that command wants.
                    i=2
                    while [ "$i" -lt "$COMP_CWORD" ]; do
                        if [ "${COMP_WORDS[i]}" = -- ]; then
                            if [ "$((i + 1))" -eq "$COMP_CWORD" ]; then
                                COMPREPLY=($(compgen -c -- "$current"))
                            else
                                COMPREPLY=($(compgen -f -- "$current"))
                            fi
                            return
                        fi
                        case ${COMP_WORDS[i]} in
                            -*) case " $takes " in *" ${COMP_WORDS[i]} "*) i=$((i + 1)) ;; esac ;;
                            *) given="$given${COMP_WORDS[i]} " ;;
                        esac
                        i=$((i + 1))
                    done
                    case " $takes " in
                        *" $before "*) return ;;
                    esac
                    case $current in
                        -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
                        *)
                            # An operand is offered behind those that are given already.
                            local IFS=$',\\n'
                            for entry in $(compgen -W "$operands" -- "$given$current"); do
                                entry=${entry#"$given"}
                                case $entry in *' '*) ;; *) COMPREPLY+=("$entry") ;; esac
                            done
                            ;;
                    esac
                }
                complete -F _tenure tenure
                """.replace("%VERBS%", String.join(" ", Verbs.NAMES)).replace("%CASES%", cases.toString());
    }

    private static String names(Stream<Option> options) {
        return options.map(Option::name).collect(Collectors.joining(" "));
    }

    private static String fish() {
        StringBuilder script = new StringBuilder("# Completion of tenure for fish.\ncomplete -c tenure -f\n");
        for (Verb verb : Verbs.all()) {
            Usage usage = verb.usage();
            String seen = "-n '__fish_seen_subcommand_from " + usage.verb() + "'";
            String summary = quoted(usage.summary());
            script.append("complete -c tenure -n __fish_use_subcommand -a " + usage.verb() + " -d " + summary + "\n");
            for (Option option : usage.allOptions()) {
                String name = option.name().substring(2) + (option.isFlag() ? "" : " -x");
                script.append("complete -c tenure " + seen + " -l " + name + " -d " + quoted(option.help()) + "\n");
            }
            operands(usage).forEach((given, words) -> {
                String[] before = (usage.verb() + " " + given).strip().split(" ");
                String condition =
                        "__fish_seen_subcommand_from " + String.join("; and __fish_seen_subcommand_from ", before);
                script.append("complete -c tenure -n '" + condition + "' -a " + quoted(String.join(" ", words)) + "\n");
            });
        }
        return script.toString();
    }

    /** What may follow which operands. */
    private static Map<String, List<String>> operands(Usage usage) {
        return usage.words().stream()
                .collect(Collectors.groupingBy(
                        words -> words.substring(0, Math.max(0, words.lastIndexOf(' '))),
                        LinkedHashMap::new,
                        Collectors.mapping(words -> words.substring(words.lastIndexOf(' ') + 1), Collectors.toList())));
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
