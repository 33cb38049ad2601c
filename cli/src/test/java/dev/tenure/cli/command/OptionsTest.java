// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.cli.command.Usage.Form;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionsTest {
    private static final Option URL = Option.value("--url", "URL", "the store").or("TENURE_URL");
    private static final Option TTL = Option.value("--ttl", "TIME", "how long").or("TENURE_TTL");
    private static final Option JSON = Option.flag("--json", "for programs");
    private static final Usage USAGE = new Usage(
            "try", "tries", "", Form.of("[NAME…]").taking(URL, TTL, JSON).running("COMMAND"), "tenure try");
    private static final Option DEEP = Option.flag("--deep", "more");
    private static final Option NAME = Option.value("--name", "NAME", "whose");
    private static final Usage FORMS = new Usage(
            "look",
            "looks",
            "",
            List.of(
                    Form.of("at|after NAME").taking(DEEP),
                    Form.of("all").taking(JSON),
                    Form.of("all").needing(NAME).taking(DEEP)),
            List.of());

    private static Options parse(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        if (!all.contains("--")) {
            all.addAll(List.of("--", "true"));
        }
        return Options.parse(USAGE, all, Map.of());
    }

    private static void assertWrong(String sentence, String... words) {
        assertThatThrownBy(() -> parse(words))
                .isInstanceOfSatisfying(
                        CliException.class,
                        failure -> assertThat(failure.code()).isEqualTo(64))
                .hasMessage(sentence + " (see tenure try --help)");
    }

    @Test
    void values_come_after_a_blank_or_an_equals_sign() {
        assertThat(parse("--url", "local:").value(URL)).contains("local:");
        assertThat(parse("--url=local:?a=b").value(URL)).contains("local:?a=b");
        assertThat(parse("--url=").value(URL)).contains("");
        assertThat(parse("--url", "-").value(URL)).contains("-");
    }

    @Test
    void operands_and_options_may_be_mixed() {
        Options options = parse("a", "--json", "b");

        assertThat(options.operands()).containsExactly("a", "b");
        assertThat(options.has(JSON)).isTrue();
        assertThat(options.has(URL)).isFalse();
    }

    @Test
    void what_follows_two_dashes_is_a_command_and_not_looked_at() {
        Options options = parse("--json", "--", "cmd", "--url", "--", "-x", "");

        assertThat(options.command()).containsExactly("cmd", "--url", "--", "-x", "");
        assertThat(options.operands()).isEmpty();
    }

    @Test
    void a_flag_goes_before_the_environment_and_an_empty_variable_counts_as_none() {
        Map<String, String> environment = Map.of("TENURE_URL", "local:/env", "TENURE_TTL", "");

        Options given = Options.parse(USAGE, List.of("--url", "local:/flag", "--", "true"), environment);
        Options silent = Options.parse(USAGE, List.of("--", "true"), environment);

        assertThat(given.value(URL)).contains("local:/flag");
        assertThat(silent.value(URL)).contains("local:/env");
        assertThat(silent.duration(TTL)).isEmpty();
    }

    @Test
    void durations_are_parsed_and_the_source_is_named_when_they_are_wrong() {
        assertThat(parse("--ttl", "1500ms").duration(TTL)).contains(Duration.ofMillis(1500));
        assertThatThrownBy(() -> parse("--ttl", "soon").duration(TTL)).hasMessageContaining("--ttl 'soon'");
        assertThatThrownBy(() -> parse("--ttl", "0s").duration(TTL)).hasMessageContaining("--ttl '0s'");
        assertThatThrownBy(() -> Options.parse(USAGE, List.of("--", "true"), Map.of("TENURE_TTL", "-1s"))
                        .duration(TTL))
                .hasMessageContaining("TENURE_TTL '-1s'");
    }

    @Test
    void an_unknown_option_names_the_nearest_known_one() {
        assertWrong("unknown option --urk; did you mean --url?", "--urk", "x");
        assertWrong("unknown option --jsn; did you mean --json?", "--jsn=1");
        assertWrong("unknown option --completely-different", "--completely-different");
        assertWrong("unknown option -j", "-j");
    }

    @Test
    void a_missing_doubled_or_superfluous_value_is_refused() {
        assertWrong("--url needs a value: --url URL", "--url");
        assertWrong("--url needs a value: --url URL", "--url", "--json");
        assertWrong("--url needs a value: --url URL", "--url", "--", "cmd");
        assertWrong("--url stands twice", "--url", "a", "--url=b");
        assertWrong("--json takes no value", "--json=yes");
    }

    @Test
    void a_nasty_option_cannot_forge_a_line() {
        assertWrong("unknown option --\\u001b[2J\\u000ax", "--\u001b[2J\nx");
    }

    private static void assertWrongForm(String sentence, String... words) {
        assertThatThrownBy(() -> Options.parse(FORMS, List.of(words), Map.of()))
                .isInstanceOf(CliException.class)
                .hasMessage(sentence + " (see tenure look --help)");
    }

    @Test
    void the_first_word_and_what_is_needed_choose_the_form() {
        assertThat(Options.parse(FORMS, List.of("after", "x", "--deep"), Map.of())
                        .operand(1))
                .isEqualTo("x");
        assertThat(Options.parse(FORMS, List.of("all", "--name", "n", "--deep"), Map.of())
                        .needed(NAME))
                .isEqualTo("n");
        assertThat(Options.parse(FORMS, List.of("all", "--json"), Map.of()).has(JSON))
                .isTrue();
        assertWrongForm("--json does not go with tenure look at|after NAME [--deep]", "at", "x", "--json");
        assertWrongForm("--deep does not go with tenure look all [--json]", "all", "--deep");
        assertWrongForm("--json does not go with tenure look all --name NAME [--deep]", "all", "--json", "--name", "n");
    }

    @Test
    void a_word_that_is_missing_unknown_or_too_many_is_named() {
        assertWrongForm("a word is missing: one of at, after, all");
        assertWrongForm("unknown word 'aftr'; did you mean after?", "aftr");
        assertWrongForm("unknown word 'nothing': one of at, after, all", "nothing");
        assertWrongForm("NAME is missing: tenure look at|after NAME [--deep]", "after");
        assertWrongForm("'y' is one word too many: tenure look at|after NAME [--deep]", "at", "x", "y");
        assertWrongForm("tenure look runs no command: nothing may follow --", "all", "--", "true");
        assertThat(parse("a", "b").operands()).containsExactly("a", "b");
        assertThatThrownBy(() -> Options.parse(USAGE, List.of("a"), Map.of()))
                .hasMessageStartingWith(
                        "the command is missing: tenure try [NAME…] [--url URL] [--ttl TIME] [--json] -- COMMAND");
    }

    @Test
    void help_is_an_option_of_every_verb() {
        assertThat(parse("--help").has(Option.HELP)).isTrue();
        assertThat(parse("-h").has(Option.HELP)).isTrue();
        assertThat(parse("--", "--help").has(Option.HELP)).isFalse();
        assertThat(USAGE.help())
                .contains("  --url URL   the store [TENURE_URL]\n", "  --json      for programs\n", "  tenure try\n");
    }
}
