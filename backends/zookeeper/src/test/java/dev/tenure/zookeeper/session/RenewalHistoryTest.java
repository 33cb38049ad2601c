// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RenewalHistoryTest {
    private static final long HALF_TICK = 1000;

    private final SessionRenewal.RenewalHistory history = new SessionRenewal.RenewalHistory(0);

    private long gapOf(long sent) {
        return history.acknowledged(sent, sent + 10, HALF_TICK);
    }

    @Test
    void while_all_goes_well_the_renewal_before_is_counted() {
        assertThat(gapOf(2500)).isEqualTo(2500);
        assertThat(gapOf(5000)).isEqualTo(2500);
        assertThat(gapOf(7500)).isEqualTo(2500);
    }

    @Test
    void a_renewal_long_after_the_last_one_leaves_a_gap() {
        gapOf(2500);

        assertThat(gapOf(9000)).isEqualTo(6500);
    }

    @Test
    void a_second_one_right_behind_it_does_not_close_the_gap_because_the_first_may_not_have_been_relayed() {
        gapOf(2500);
        gapOf(9000);

        assertThat(gapOf(9100)).isEqualTo(6600);
        assertThat(gapOf(10_009)).isEqualTo(7509);
        assertThat(gapOf(10_010))
                .as("half a tick after the answer to the first")
                .isEqualTo(1010);
    }
}
