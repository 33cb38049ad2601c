// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClaimTokensTest {
    private static final long CLOCK = 1_750_000_000_000L;
    private static final long DAY = Duration.ofDays(1).toMillis();

    @Test
    void the_first_token_is_the_clock_of_the_store() {
        assertThat(ClaimTokens.next(0, 0, 0, CLOCK).value()).isEqualTo(CLOCK);
    }

    @Test
    void a_clock_that_stands_or_steps_back_is_counted_on_from_the_last_token() {
        assertThat(ClaimTokens.next(CLOCK, 0, 0, CLOCK).value()).isEqualTo(CLOCK + 1);
        assertThat(ClaimTokens.next(CLOCK, 0, 0, CLOCK - DAY).value()).isEqualTo(CLOCK + 1);
        assertThat(ClaimTokens.next(CLOCK, 0, 0, CLOCK + 5).value()).isEqualTo(CLOCK + 5);
    }

    @Test
    void a_token_lies_above_the_floor() {
        assertThat(ClaimTokens.next(0, CLOCK + 1000, 0, CLOCK).value()).isEqualTo(CLOCK + 1001);
        assertThat(ClaimTokens.next(CLOCK + 2000, CLOCK + 1000, 0, CLOCK).value())
                .isEqualTo(CLOCK + 2001);
    }

    @Test
    void a_floor_is_believed_up_to_one_day_ahead_of_the_clock() {
        assertThat(ClaimTokens.next(0, CLOCK + DAY, 0, CLOCK).value()).isEqualTo(CLOCK + DAY + 1);
        assertThat(ClaimTokens.next(0, CLOCK + DAY + 1, 0, CLOCK).value()).isEqualTo(CLOCK + DAY + 1);
        assertThat(ClaimTokens.next(0, Long.MAX_VALUE, 0, CLOCK).value()).isEqualTo(CLOCK + DAY + 1);
    }

    @Test
    void the_era_stands_above_every_sequence() {
        FencingToken token = ClaimTokens.next(CLOCK, CLOCK, 3, CLOCK);

        assertThat(token.era()).isEqualTo(3);
        assertThat(token.sequence()).isEqualTo(CLOCK);
    }

    @Test
    void a_last_token_of_a_later_era_is_not_gone_back_from() {
        long later = FencingToken.of(5, 17).value();

        assertThat(ClaimTokens.next(later, 0, 2, CLOCK).value()).isEqualTo(later + 1);
    }

    @Test
    void a_clock_before_1970_or_beyond_its_bits_still_gives_a_token() {
        assertThat(ClaimTokens.next(0, 0, 0, 0).value()).isEqualTo(1);
        assertThat(ClaimTokens.next(0, 0, 0, -CLOCK).value()).isEqualTo(1);
        assertThat(ClaimTokens.next(0, 0, 0, Long.MAX_VALUE).value()).isEqualTo(FencingToken.SEQUENCE_MAX);
    }

    @Test
    void the_highest_token_of_all_has_no_successor() {
        assertThatThrownBy(() -> ClaimTokens.next(Long.MAX_VALUE, 0, 0, CLOCK))
                .isInstanceOfSatisfying(BackendException.class, refused -> {
                    assertThat(refused.kind()).isEqualTo(BackendException.Kind.CORRUPT);
                    assertThat(refused.effect()).isEqualTo(BackendException.Effect.NONE);
                });
    }

    @Test
    void whatever_is_given_the_next_token_is_above_the_last_one() {
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 100_000; i++) {
            long last = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63);
            long floor = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63);
            int era = random.nextInt(FencingToken.ERA_MAX + 1) >>> random.nextInt(15);
            long clock = random.nextLong() >> random.nextInt(63);

            FencingToken token = ClaimTokens.next(last, floor, era, clock);

            assertThat(token.value()).isGreaterThan(last);
            assertThat(token.era()).isGreaterThanOrEqualTo(era);
            long byClock = ((long) era << FencingToken.SEQUENCE_BITS)
                    | Math.max(1, Math.min(clock, FencingToken.SEQUENCE_MAX));
            if (floor - DAY <= byClock) {
                assertThat(token.value()).isGreaterThan(floor);
            }
        }
    }
}
