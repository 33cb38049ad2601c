// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.fakes.ManualHost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeNameTest {
    @Test
    void the_default_has_the_process_id_and_a_random_part_of_8_hex_digits() {
        ManualHost host = new ManualHost();

        String first = NodeName.ofThisProcess(host);
        String second = NodeName.ofThisProcess(host);

        assertThat(first).matches(".+-" + ProcessHandle.current().pid() + "-[0-9a-f]{8}");
        assertThat(second).isNotEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "pod-7", "Ärger im Büro", "a b"})
    void any_readable_name_is_accepted_as_it_is(String name) {
        assertThat(NodeName.check(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t", "a\nb", "a\u0000", "\u0085", "a\ud800"})
    void blank_control_and_broken_text_is_refused(String name) {
        assertThatThrownBy(() -> NodeName.check(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be a node id");
    }

    @Test
    void at_most_200_bytes_of_utf_8_are_accepted() {
        assertThat(NodeName.check("é".repeat(100))).hasSize(100);
        assertThatThrownBy(() -> NodeName.check("é".repeat(100) + "x")).hasMessageContaining("200");
    }
}
