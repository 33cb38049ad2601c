// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.lab.fault.Fault;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

final class ScenarioFileTest {
    static final List<String> NAMES = Scenarios.NAMES;

    @Test
    void a_file_names_nodes_seed_time_and_faults() {
        Scenario scenario = ScenarioFile.parse("""
                # a comment
                name: two crashes
                nodes: 7      # another one
                seed: 4
                for: 3s
                faults:
                  - crash 7@100ms

                  - partition 1,2|3-7@1s..2s
                """);

        assertThat(scenario.name()).isEqualTo("two crashes");
        assertThat(scenario.nodes()).isEqualTo(7);
        assertThat(scenario.seed()).isEqualTo(4);
        assertThat(scenario.forNanos()).isEqualTo(3_000_000_000L);
        assertThat(scenario.faults())
                .extracting(Fault::toString)
                .containsExactly("crash 7@100ms", "partition 1,2|3-7@1s..2s");
    }

    @Test
    void everything_but_the_faults_has_a_default() {
        assertThat(ScenarioFile.parse(""))
                .isEqualTo(new Scenario("without a name", "", 5, 1, 5_000_000_000L, List.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nodes: many | is not a number",
                "nodes: 1000 | is not a number from 1 to 999",
                "nodes: 0 | is not a number from 1 to 999",
                "for: 0s | longer than nothing",
                "colour: red | line 1: unknown key",
                "name: [a] | only plain values",
                "just words | line 1",
                "faults: crash 1@1s | are a list"
            })
    void what_is_not_understood_is_refused_with_its_line(String text, String sentence) {
        assertThatThrownBy(() -> ScenarioFile.parse(text)).hasMessageContaining(sentence);
    }

    @Test
    void a_key_stands_once_and_faults_stand_in_their_list() {
        assertThatThrownBy(() -> ScenarioFile.parse("seed: 1\nseed: 2"))
                .hasMessageContaining("line 2: 'seed' stands twice");
        assertThatThrownBy(() -> ScenarioFile.parse("- crash 1@1s")).hasMessageContaining("line 1");
        assertThatThrownBy(() -> ScenarioFile.parse("nodes: 2\nfaults:\n - crash 3@1s"))
                .hasMessageContaining("line 3: there is no node 3");
    }

    @Test
    void values_may_be_quoted_and_a_document_may_have_its_mark() {
        Scenario scenario = ScenarioFile.parse("---\nname: \"two words\"\nfaults:\n  - 'crash 1@1s'\n");

        assertThat(scenario.name()).isEqualTo("two words");
        assertThat(scenario.faults()).extracting(Fault::toString).containsExactly("crash 1@1s");
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void every_scenario_of_the_library_can_be_read(String name) {
        Scenario scenario = Scenarios.load(name);

        assertThat(scenario.name()).isEqualTo(name.replace('-', ' ').replace("one way", "one-way"));
        assertThat(scenario.about()).isNotBlank();
        assertThat(scenario.faults()).isNotEmpty();
    }
}
