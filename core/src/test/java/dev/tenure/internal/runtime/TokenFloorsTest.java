// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import org.junit.jupiter.api.Test;

class TokenFloorsTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");

    private final TokenFloors floors = new TokenFloors();

    @Test
    void the_highest_token_counts_wherever_it_was_seen() {
        floors.seenInStore(ELECTION, new FencingToken(7));
        floors.refusedByFence(ELECTION, new FencingToken(9));
        floors.seenInStore(ELECTION, new FencingToken(8));

        assertThat(floors.of(ELECTION)).isEqualTo(9);
        assertThat(floors.highest()).isEqualTo(9);
        assertThat(floors.of(ElectionName.of("other"))).isZero();
    }

    @Test
    void an_era_that_the_store_has_shown_is_credible_however_far_it_went_back() {
        floors.seenInStore(ELECTION, new FencingToken(tokenOf(900)));

        assertThat(floors.isCredible(tokenOf(900))).isTrue();
    }

    @Test
    void an_era_that_only_a_fence_tells_is_credible_if_it_is_near() {
        floors.seenInStore(3);
        floors.refusedByFence(ELECTION, new FencingToken(tokenOf(900)));

        assertThat(floors.isCredible(tokenOf(900))).isFalse();
        assertThat(floors.isCredible(tokenOf(3 + 15))).isTrue();
    }

    @Test
    void what_is_out_of_reach_is_news_once_unless_it_is_farther_or_the_store_has_moved() {
        floors.seenInStore(3);
        assertThat(floors.noteOutOfReach(900)).isTrue();

        assertThat(floors.noteOutOfReach(900)).isFalse();
        assertThat(floors.noteOutOfReach(800)).isFalse();
        assertThat(floors.noteOutOfReach(901)).isTrue();
        floors.seenInStore(4);
        assertThat(floors.noteOutOfReach(800)).isTrue();
    }

    @Test
    void above_the_last_era_there_is_none() {
        floors.seenInStore(ELECTION, new FencingToken(tokenOf(FencingToken.ERA_MAX)));

        assertThat(floors.isCredible(tokenOf(FencingToken.ERA_MAX))).isFalse();
    }

    private static long tokenOf(int era) {
        return ((long) era << 48) + 1;
    }
}
