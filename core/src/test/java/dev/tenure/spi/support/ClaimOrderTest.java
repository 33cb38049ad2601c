// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Nonce;
import org.junit.jupiter.api.Test;

class ClaimOrderTest {
    private static final Nonce FIRST = new Nonce(0, 1);
    private static final Nonce SECOND = new Nonce(0, 2);
    private static final Nonce THIRD = new Nonce(0, 3);

    private final ClaimOrder<Long> order = new ClaimOrder<>();

    @Test
    void a_release_reaches_its_own_claim_and_earlier_ones_and_no_later_one() {
        order.claims(FIRST);
        order.claims(SECOND);
        order.claims(THIRD);

        assertThat(order.isUpTo(FIRST, SECOND)).isTrue();
        assertThat(order.isUpTo(SECOND, SECOND)).isTrue();
        assertThat(order.isUpTo(THIRD, SECOND)).isFalse();
        assertThat(order.isNewest(THIRD)).isTrue();
        assertThat(order.isNewest(SECOND)).isFalse();
    }

    @Test
    void a_claim_that_is_asked_again_keeps_its_place_unless_another_came_between() {
        order.claims(FIRST);
        order.claims(SECOND);
        order.claims(SECOND);

        assertThat(order.order(SECOND)).isEqualTo(1);

        order.claims(FIRST);

        assertThat(order.isUpTo(SECOND, FIRST)).isTrue();
        assertThat(order.isUpTo(FIRST, SECOND)).isFalse();
    }

    @Test
    void what_was_forgotten_is_early_and_a_release_of_it_reaches_nothing() {
        order.claims(FIRST);
        for (int i = 0; i < 64; i++) {
            order.claims(new Nonce(1, i));
        }

        assertThat(order.knows(FIRST)).isFalse();
        assertThat(order.isUpTo(FIRST, new Nonce(1, 0))).isTrue();
        assertThat(order.isUpTo(new Nonce(1, 0), FIRST)).isFalse();
        assertThat(order.isUpTo(FIRST, FIRST)).isFalse();
    }

    @Test
    void what_cannot_be_applied_any_more_is_forgotten() {
        order.claims(FIRST);
        order.claims(SECOND);

        order.forgetBefore(SECOND);
        order.forgetBefore(THIRD);

        assertThat(order.knows(FIRST)).isFalse();
        assertThat(order.knows(SECOND)).isTrue();
    }

    @Test
    void a_newer_call_overtakes() {
        long first = order.nextCall();
        long second = order.nextCall();

        assertThat(order.newestCall()).isEqualTo(second).isNotEqualTo(first);
    }

    @Test
    void a_claim_is_open_until_it_is_settled() {
        order.opened(FIRST, 7L);
        order.opened(SECOND, 8L);
        order.opened(FIRST, 9L);

        assertThat(order.open())
                .containsEntry(FIRST, 9L)
                .containsEntry(SECOND, 8L)
                .hasSize(2);

        order.settledIf((claim, sentUnder) -> sentUnder < 9);

        assertThat(order.open()).containsOnlyKeys(FIRST);

        order.settled(THIRD);
        order.settled(FIRST);

        assertThat(order.open()).isEmpty();
    }
}
