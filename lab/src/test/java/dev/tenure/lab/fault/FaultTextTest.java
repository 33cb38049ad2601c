// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FaultTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "crash 7@100ms",
                "recover *@2s",
                "pause leader@1s..2s",
                "slow-disk 3:200ms@1s..2s",
                "fragile 1,2:20ms@1s..2s",
                "partition 1,2|3-7@1s..3s",
                "one-way 1>2-7@1s..3s",
                "lossy 1~2:30%@1s..3s",
                "slow 1~2-7:200ms@1s..3s",
                "flap 1~*:100ms@1s..3s"
            })
    void a_fault_reads_as_it_is_written(String text) {
        assertThat(FaultText.parse(text, 7)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "crash 8@1s; there is no node 8",
                "crash 7; not a fault",
                "crash x@1s; names no nodes",
                "crash 7@soon; not a duration",
                "pause 7@1s; from..to",
                "pause 7@2s..1s; ends before it begins",
                "slow-disk 3@1s..2s; how long",
                "fragile 3:often@1s..2s; not a duration",
                "partition 1-7@1s..2s; has sides",
                "one-way 1@1s..2s; from some to others",
                "lossy 1~2:200%@1s..2s; not a share",
                "slow 1~2@1s..2s; how much",
                "flap 1~2:0ms@1s..2s; every 1ms",
                "melt 1~2:1s@1s..2s; none of crash",
                "melt 1@1s; none of crash",
                "crash 5-2@1s; write 2-5",
                "fragile 3:0ms@1s..2s; 1ms or later",
                "partition 1,2|2-5@1s..2s; node 2 stands on two sides",
                "partition *|*@1s..2s; only one side",
                "one-way 1>1@1s..2s; names no link",
                "slow 3~3:1s@1s..2s; names no link"
            })
    void what_is_wrong_is_said(String text, String sentence) {
        assertThatThrownBy(() -> FaultText.parse(text, 7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void nodes_are_single_ids_ranges_the_leader_and_all_others() {
        assertThat(new NodeSet("1,3-5,leader").resolve(9, () -> 7)).containsExactly(1, 3, 4, 5, 7);
        assertThat(new NodeSet("*").resolve(3, () -> 1)).containsExactly(1, 2, 3);
    }

    @Test
    void nodes_are_written_as_short_as_they_can_be_read() {
        assertThat(NodeSet.shortest(new TreeSet<>(Set.of(1, 2, 4, 5, 6, 9)))).isEqualTo("1,2,4-6,9");
        assertThat(NodeSet.shortest(new TreeSet<>())).isEmpty();
    }
}
