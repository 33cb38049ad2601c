// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.cli.command.Usage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script is run by the shell that it is for. */
class CompletionTest {
    private static final String COMPLETE = "source \"$0\"; complete -p tenure >/dev/null || exit 1; COMP_WORDS=(tenure "
            + "\"$@\"); COMP_CWORD=$#; _tenure; printf '%s\\n' \"${COMPREPLY[@]}\"";

    @TempDir
    Path dir;

    /** What bash offers for the last of these words. */
    private List<String> complete(String... words) throws Exception {
        Path script = dir.resolve("tenure.bash");
        Files.writeString(script, InProcess.run("completion", "bash").out());
        List<String> line = new ArrayList<>(List.of("bash", "--norc", "-c", COMPLETE, script.toString()));
        line.addAll(List.of(words));
        return shell(line);
    }

    private static List<String> shell(List<String> line) throws Exception {
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out.lines().filter(text -> !text.isEmpty()).toList();
    }

    @Test
    void bash_completes_verbs() throws Exception {
        assertThat(complete("")).containsExactlyElementsOf(Commands.NAMES);
        assertThat(complete("re")).containsExactly("resign");
    }

    @Test
    void bash_completes_the_options_of_the_verb() throws Exception {
        assertThat(complete("run", "--e")).containsExactly("--election", "--exit-on-loss");
        assertThat(complete("status", "--")).containsExactly("--url", "--json", "--help");
    }

    @Test
    void bash_completes_words_where_the_list_is_closed() throws Exception {
        assertThat(complete("era", "")).containsExactly("show", "raise");
        assertThat(complete("completion", "f")).containsExactly("fish");
        assertThat(complete("help", "ver")).containsExactly("version");
    }

    @Test
    void bash_completes_what_may_follow_a_word() throws Exception {
        assertThat(complete("lab", ""))
                .containsExactly("run", "serve", "scenarios", "explain", "compare", "check", "search");
        assertThat(complete("lab", "run", "")).contains("bully", "raft").doesNotContain("run", "two-leaders");
        assertThat(complete("lab", "--nodes", "7", "check", "ra")).containsExactly("raft");
        assertThat(complete("lab", "search", "raft", "")).containsExactly("two-leaders", "stale-write");
        assertThat(complete("lab", "search", "bully", "")).containsExactly("two-leaders");
        assertThat(complete("lab", "scenarios", "paused")).containsExactly("paused-leader");
        assertThat(complete("lab", "run", "raft", "")).isEmpty();
        assertThat(complete("era", "raise", "")).isEmpty();
    }

    @Test
    void bash_offers_nothing_where_a_value_is_due_and_a_command_after_two_dashes() throws Exception {
        assertThat(complete("run", "--ttl", "")).isEmpty();
        assertThat(complete("run", "--election", "a", "--", "print")).contains("printf");
        assertThat(complete("nonsense", "")).isEmpty();
    }

    @Test
    void zsh_uses_the_same_script_and_fish_has_one_line_for_each_option() {
        String zsh = InProcess.run("completion", "zsh").out();
        String fish = InProcess.run("completion", "fish").out();

        assertThat(zsh)
                .contains("bashcompinit")
                .endsWith(InProcess.run("completion", "bash").out());
        assertThat(fish)
                .contains("complete -c tenure -n '__fish_seen_subcommand_from lab; and __fish_seen_subcommand_from run'"
                        + " -a bully\n");
        for (Usage usage : Commands.usages()) {
            String name = usage.verb();
            assertThat(fish).contains("complete -c tenure -n __fish_use_subcommand -a " + name + " -d '");
            assertThat(usage.options())
                    .allSatisfy(option -> assertThat(fish)
                            .contains("complete -c tenure -n '__fish_seen_subcommand_from " + name + "' -l "
                                    + option.name().substring(2)));
        }
    }
}
