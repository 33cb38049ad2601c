// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class GroupTest {
    private static final Group GROUP = new Group(2, List.of(4, 2, 7, 1));

    @Test
    void neighbours_are_those_on_the_ring_and_the_dead_are_skipped() {
        assertThat(GROUP.after(Set.of())).isEqualTo(7);
        assertThat(GROUP.before(Set.of())).isEqualTo(4);
        assertThat(GROUP.after(Set.of(7))).isEqualTo(1);
        assertThat(GROUP.after(Set.of(7, 1, 4))).isEqualTo(2);
    }

    @Test
    void a_majority_is_more_than_half() {
        assertThat(GROUP.majority()).isEqualTo(3);
        assertThat(new Group(1, List.of(1, 2, 3)).majority()).isEqualTo(2);
        assertThat(new Group(1, List.of(1)).majority()).isEqualTo(1);
    }

    @Test
    void a_group_without_the_node_itself_or_with_one_twice_is_refused() {
        assertThatThrownBy(() -> new Group(9, List.of(1, 2))).hasMessageContaining("node 9");
        assertThatThrownBy(() -> new Group(1, List.of(1, 2, 2))).hasMessageContaining("twice");
    }

    @Test
    void every_algorithm_says_what_it_assumes_and_what_it_cannot_promise() {
        for (Algorithm algorithm : Algorithm.values()) {
            assertThat(Algorithm.named(algorithm.spelling())).contains(algorithm);
            assertThat(algorithm.description().assumes()).isNotEmpty();
            assertThat(algorithm.description().promises()).isNotEmpty();
            assertThat(algorithm.description().cannotPromise()).isNotEmpty();
        }
    }
}
