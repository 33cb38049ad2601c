package dev.tenure.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionsTest {
    private static final Option URL = Option.value("--url", "URL", "the store").or("TENURE_URL");
    private static final Option TTL = Option.value("--ttl", "TIME", "how long").or("TENURE_TTL");
    private static final Option JSON = Option.flag("--json", "for programs");
    private static final Usage USAGE = new Usage(
            "try", List.of("try [options]"), "tries", "", List.of(URL, TTL, JSON), List.of(), List.of("tenure try"));

    private static Options parse(String... words) {
        return Options.parse(USAGE, List.of(words), Map.of());
    }

    private static void assertWrong(String sentence, String... words) {
        assertThatThrownBy(() -> parse(words))
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.code()).isEqualTo(64))
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

        Options given = Options.parse(USAGE, List.of("--url", "local:/flag"), environment);
        Options silent = Options.parse(USAGE, List.of(), environment);

        assertThat(given.value(URL)).contains("local:/flag");
        assertThat(silent.value(URL)).contains("local:/env");
        assertThat(silent.duration(TTL)).isEmpty();
    }

    @Test
    void durations_are_parsed_and_the_source_is_named_when_they_are_wrong() {
        assertThat(parse("--ttl", "1500ms").duration(TTL)).contains(Duration.ofMillis(1500));
        assertThatThrownBy(() -> parse("--ttl", "soon").duration(TTL)).hasMessageContaining("--ttl 'soon'");
        assertThatThrownBy(() -> parse("--ttl", "0s").duration(TTL)).hasMessageContaining("--ttl '0s'");
        assertThatThrownBy(() -> Options.parse(USAGE, List.of(), Map.of("TENURE_TTL", "-1s"))
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

    @Test
    void help_is_an_option_of_every_verb() {
        assertThat(parse("--help").has(Usage.HELP)).isTrue();
        assertThat(parse("-h").has(Usage.HELP)).isTrue();
        assertThat(parse("--", "--help").has(Usage.HELP)).isFalse();
        assertThat(USAGE.help())
                .contains("  --url URL   the store [TENURE_URL]\n", "  --json      for programs\n", "  tenure try\n");
    }
}
