// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The help is true: what it shows is accepted, and what is accepted is shown. */
class CommandsTest {
    static final List<String> names = Commands.NAMES;

    @ParameterizedTest
    @FieldSource("names")
    void every_verb_explains_itself(String name) {
        Usage usage = Commands.find(name).usage();

        InProcess byOption = InProcess.run(name, "--help");
        InProcess byVerb = InProcess.run("help", name);

        assertThat(usage.verb()).isEqualTo(name);
        assertThat(byOption).isEqualTo(new InProcess(0, usage.help(), ""));
        assertThat(byVerb).isEqualTo(byOption);
        assertThat(usage.help()).contains("tenure " + name).doesNotContain("\t");
        assertThat(usage.help().lines()).allMatch(line -> line.length() <= 140);
    }

    @ParameterizedTest
    @FieldSource("names")
    void every_option_in_the_help_is_accepted_and_no_other(String name) {
        Usage usage = Commands.find(name).usage();
        for (Option option : usage.options()) {
            List<String> words =
                    option.isFlag() ? List.of("--help", option.name()) : List.of("--help", option.name(), "1s");

            assertThat(Options.parse(usage, words.subList(option.equals(Option.HELP) ? 1 : 0, words.size()), Map.of())
                            .has(option))
                    .isTrue();
        }
        assertThatThrownBy(() -> Options.parse(usage, List.of("--no-such-thing"), Map.of()))
                .isInstanceOf(CliException.class);
    }

    @Test
    void the_help_lists_every_verb_and_every_exit_code() {
        InProcess help = InProcess.run("help");

        assertThat(help.code()).isZero();
        assertThat(InProcess.run("--help")).isEqualTo(help);
        assertThat(names).allMatch(name -> help.out().contains("  tenure " + name + " "));
        assertThat(help.out()).contains(" 64 ", " 65 ", " 69 ", " 75 ", "126", "127", "128+n");
    }

    @Test
    void the_version_names_the_jvm_and_the_backends() {
        InProcess version = InProcess.run("version");

        assertThat(version.code()).isZero();
        assertThat(version.out()).contains("tenure ", "jvm ", "backends ").contains("local:");
        assertThat(InProcess.run("--version")).isEqualTo(version);
        assertThat(JsonText.object(InProcess.run("version", "--json").out()))
                .containsKeys("version", "jvm", "backends");
    }
}
