// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorityTest {
    private static final long MILLI = 1_000_000;
    private static final long SENT = 77_000 * MILLI;
    private static final long WALL = 1_700_000_000_000L;

    private static Authority of(Duration ttl) {
        return Authority.from(Timing.of(ttl), SENT, WALL);
    }

    private final Authority authority = of(Duration.ofSeconds(10));

    /** The answer after this much time on the monotonic clock and this step of the wall clock against it. */
    private static boolean allows(Authority authority, long afterMillis, long wallStepMillis) {
        return authority.allows(SENT + afterMillis * MILLI, WALL + afterMillis + wallStepMillis);
    }

    @Test
    void it_lasts_until_the_deadline_and_not_a_nanosecond_longer() {
        long deadline = Timing.of(Duration.ofSeconds(10)).validUntil(SENT);

        assertThat(authority.validUntilNanos()).isEqualTo(deadline);
        assertThat(authority.allows(deadline - 1, WALL + 8749)).isTrue();
        assertThat(authority.allows(deadline, WALL + 8750)).isFalse();
        assertThat(authority.allows(deadline + 1, WALL + 8750)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 1_000_000_000L, Long.MIN_VALUE + 1_000_000_000L, -1})
    void the_origin_of_the_monotonic_clock_does_not_matter_even_where_it_wraps(long sent) {
        Timing timing = Timing.of(Duration.ofSeconds(10));
        Authority wrapped = Authority.from(timing, sent, WALL);

        assertThat(wrapped.allows(sent + 8_749 * MILLI, WALL + 8_749)).isTrue();
        assertThat(wrapped.allows(sent + 8_750 * MILLI, WALL + 8_750)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"100,1000", "1000,1000", "10000,1000", "20000,2000", "60000,6000", "600000,60000"})
    void a_wall_clock_that_runs_ahead_withdraws_it_from_one_second_or_a_tenth_of_the_ttl(
            long ttlMillis, long stepMillis) {
        Authority some = of(Duration.ofMillis(ttlMillis));

        assertThat(allows(some, 10, stepMillis - 1)).isTrue();
        assertThat(allows(some, 10, stepMillis)).isFalse();
        assertThat(allows(some, 10, Duration.ofDays(3650).toMillis())).isFalse();
    }

    @Test
    void the_step_counts_against_the_monotonic_clock_and_not_against_the_moment() {
        assertThat(allows(authority, 8000, 999)).isTrue();
        assertThat(allows(authority, 8000, 1000)).isFalse();
    }

    @Test
    void a_step_backward_is_ignored() {
        assertThat(allows(authority, 5000, -1)).isTrue();
        assertThat(allows(authority, 5000, -1000)).isTrue();
        assertThat(allows(authority, 5000, -Duration.ofDays(3650).toMillis())).isTrue();
    }

    @Test
    void a_step_backward_never_extends_it() {
        assertThat(allows(authority, 8750, -Duration.ofDays(3650).toMillis())).isFalse();
    }

    @Test
    void a_suspended_host_is_noticed_although_its_monotonic_clock_stood_still() {
        assertThat(authority.allows(SENT + MILLI, WALL + 60_000)).isFalse();
    }

    @Test
    void the_next_renewal_takes_new_origins_of_both_clocks() {
        long steppedWall = WALL + 60_000;
        Authority renewed = Authority.from(Timing.of(Duration.ofSeconds(10)), SENT + 2500 * MILLI, steppedWall + 2500);

        assertThat(renewed.allows(SENT + 2600 * MILLI, steppedWall + 2600)).isTrue();
    }

    @Test
    void once_revoked_it_allows_nothing() {
        Authority revoked = authority.revoke();

        assertThat(allows(authority, 0, 0)).isTrue();
        assertThat(allows(revoked, 0, 0)).isFalse();
        assertThat(revoked.validUntilNanos()).isEqualTo(authority.validUntilNanos());
    }
}
