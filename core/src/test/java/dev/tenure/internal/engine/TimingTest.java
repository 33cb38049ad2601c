// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimingTest {
    private static final Offset<Long> ROUNDING = Offset.offset(1L);

    @Test
    void everything_is_a_share_of_the_ttl() {
        Timing timing = Timing.of(Duration.ofSeconds(10));

        assertThat(timing)
                .isEqualTo(new Timing(
                        10_000_000_000L, 2_500_000_000L, 1_500_000_000L, 500_000_000L, 2_000_000_000L, 250_000_000L));
    }

    @ParameterizedTest
    @CsvSource({
        "100,      5",
        "200,     10",
        "1000,    50",
        "4000,   200",
        "4999,   249.95",
        "5000,   250",
        "5001,   250",
        "10000,  250",
        "60000,  250",
        "600000, 250"
    })
    void the_margin_is_250_ms_from_5_s_and_scaled_below(long ttlMillis, BigDecimal marginMillis) {
        Timing timing = Timing.of(Duration.ofMillis(ttlMillis));

        assertThat(timing.marginNanos())
                .isCloseTo(marginMillis.movePointRight(6).longValueExact(), ROUNDING);
    }

    @ParameterizedTest
    @CsvSource({"10000, 2000, 2000", "3120, 2000, 1092", "26000, 12000, 10150"})
    void a_drain_budget_that_does_not_fit_into_what_the_store_granted_is_cut_so_that_a_renewal_comes_first(
            long grantedMillis, long budgetMillis, long leadMillis) {
        Timing granted = Timing.of(Duration.ofMillis(grantedMillis));

        long leadNanos = granted.drainLeadNanos(budgetMillis * 1_000_000);

        assertThat(leadNanos).isEqualTo(leadMillis * 1_000_000);
        assertThat(granted.validUntil(0) - leadNanos).isGreaterThan(granted.renewNanos() + granted.timeoutNanos());
    }

    @ParameterizedTest
    @ValueSource(longs = {100, 333, 1000, 2000, 4999, 5000, 10_000, 15_000, 60_000, 600_000})
    void authority_ends_at_send_plus_nine_tenths_of_the_ttl_minus_the_margin(long ttlMillis) {
        Timing timing = Timing.of(Duration.ofMillis(ttlMillis));
        long sentNanos = -7_000_000_000L;

        BigDecimal belief = new BigDecimal(timing.ttlNanos())
                .multiply(new BigDecimal("0.9"))
                .subtract(new BigDecimal(timing.marginNanos()));

        assertThat(timing.validUntil(sentNanos) - sentNanos).isCloseTo(belief.longValue(), ROUNDING);
        assertThat(timing.validUntil(sentNanos) - sentNanos).isLessThan(timing.ttlNanos() * 9 / 10);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 10, 100, 1000, 2000, 5000, 10_000, 60_000, 86_400_000})
    void the_default_drain_fits_into_every_ttl(long ttlMillis) {
        Duration ttl = Duration.ofMillis(ttlMillis);

        assertThatCode(() -> Timing.of(ttl).requireRoomFor(ttl.dividedBy(5))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(longs = {100, 1000, 2000, 5000, 10_000, 60_000})
    void a_term_that_begins_when_the_renewal_of_an_idle_session_is_due_has_room_for_it_and_for_the_default_drain(
            long ttlMillis) {
        Timing timing = Timing.of(Duration.ofMillis(ttlMillis));
        long idleNanos = timing.renewNanos(false);

        assertThat(idleNanos).isEqualTo(ttlMillis * 400_000);
        assertThat(idleNanos + timing.timeoutNanos() + 2 * timing.retryNanos() + timing.drainNanos())
                .isLessThanOrEqualTo(timing.validUntil(0) + 1);
    }

    @ParameterizedTest
    @CsvSource({"0, 3000", "1000, 3000", "2000, 3500", "3750, 5250", "9000, 5250"})
    void a_term_begins_only_when_its_first_renewal_can_be_answered_before_it_would_drain(
            long drainMillis, long leftMillis) {
        assertThat(Timing.of(Duration.ofSeconds(10)).usefulNanos(drainMillis * 1_000_000))
                .isEqualTo(leftMillis * 1_000_000);
    }

    @ParameterizedTest
    @CsvSource({"100", "1000", "5000", "10000", "60000"})
    void the_largest_drain_that_fits_is_accepted_and_one_millisecond_more_is_not(long ttlMillis) {
        Timing timing = Timing.of(Duration.ofMillis(ttlMillis));
        long roomNanos = timing.validUntil(0) - timing.renewNanos() - timing.timeoutNanos() - 2 * timing.retryNanos();

        assertThatCode(() -> timing.requireRoomFor(Duration.ofNanos(roomNanos))).doesNotThrowAnyException();
        assertThatThrownBy(() -> timing.requireRoomFor(Duration.ofNanos(roomNanos + 1_000_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_drain_that_does_not_fit_is_refused_with_every_number_of_the_relation() {
        Timing timing = Timing.of(Duration.ofSeconds(10));

        assertThatThrownBy(() -> timing.requireRoomFor(Duration.ofSeconds(5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a drain of 5s does not fit into a TTL of 10s")
                .hasMessageContaining("renew 2500ms")
                .hasMessageContaining("timeout 1500ms")
                .hasMessageContaining("2 × retry 500ms")
                .hasMessageContaining("margin 250ms")
                .hasMessageContaining("= 9s")
                .hasMessageContaining("drain within 3750ms");
    }

    @Test
    void a_negative_drain_is_refused() {
        assertThatThrownBy(() -> Timing.of(Duration.ofSeconds(10)).requireRoomFor(Duration.ofMillis(-1)))
                .hasMessageContaining("negative");
    }
}
