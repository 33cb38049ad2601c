// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.lab.check.CounterExample.Quarry;
import dev.tenure.lab.trace.ResourceWrite;
import dev.tenure.lab.world.World;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CounterExampleTest {
    private static final long SEEDS = 200;

    @ParameterizedTest
    @EnumSource(names = {"BULLY", "RING", "CHANG_ROBERTS", "HIRSCHBERG_SINCLAIR", "STICKY"})
    void under_a_partition_two_lead_side_by_side_where_no_majority_is_asked(Algorithm algorithm) {
        CounterExample found =
                CounterExample.search(algorithm, Quarry.TWO_LEADERS, SEEDS).orElseThrow();

        assertThat(found.experiment().faults()).hasSize(1);
        assertThat(World.run(found.experiment()).overlaps())
                .isEqualTo(found.trace().overlaps())
                .isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"QUORUM", "RAFT", "PAXOS"})
    void under_a_partition_no_two_lead_side_by_side_where_a_majority_is_asked(Algorithm algorithm) {
        assertThat(CounterExample.search(algorithm, Quarry.TWO_LEADERS, SEEDS)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"QUORUM", "RAFT", "PAXOS"})
    void after_a_pause_an_old_leader_writes_and_only_its_term_gives_it_away(Algorithm algorithm) {
        CounterExample found =
                CounterExample.search(algorithm, Quarry.STALE_WRITE, SEEDS).orElseThrow();

        ResourceWrite stale = found.trace().writes().stream()
                .filter(ResourceWrite::stale)
                .findFirst()
                .orElseThrow();
        assertThat(found.trace().writes())
                .as("a newer term has written before")
                .anyMatch(write -> write.nanos() < stale.nanos() && write.term() > stale.term());
        assertThat(found.trace().leadersByTerm().values()).allMatch(leaders -> leaders.size() == 1);
    }
}
