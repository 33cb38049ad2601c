// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GuardianClockTest {

    @ParameterizedTest
    @EnumSource
    void an_instant_ahead_is_never_put_later_and_hardly_earlier(GuardianClock clock) throws Exception {
        long aheadNanos = TimeUnit.SECONDS.toNanos(5);

        long instant = System.nanoTime() + aheadNanos;
        String seconds = clock.secondsAt(instant);
        long latestNanos = clock.nowNanos() + 10_000_000 + (instant - System.nanoTime());

        // The upper bound reads the clocks in the other order, and allows for the 10 ms that /proc/uptime cuts off.
        assertThat(nanos(seconds)).isBetween(latestNanos - TimeUnit.SECONDS.toNanos(1), latestNanos);
    }

    @ParameterizedTest
    @EnumSource
    void instants_far_off_stay_in_order(GuardianClock clock) throws Exception {
        String longAgo = clock.secondsAt(System.nanoTime() - Long.MAX_VALUE / 2);
        String now = clock.secondsAt(System.nanoTime());
        String farAhead = clock.secondsAt(System.nanoTime() + Long.MAX_VALUE / 2);

        assertThat(nanos(longAgo)).isBetween(0L, nanos(now));
        assertThat(nanos(farAhead)).isGreaterThan(nanos(now));
    }

    @Test
    void the_guardian_names_the_clock_in_lower_case() {
        assertThat(GuardianClock.reported("boot")).isEqualTo(GuardianClock.BOOT);
        assertThat(GuardianClock.reported("wall")).isEqualTo(GuardianClock.WALL);
    }

    private static long nanos(String seconds) {
        return new BigDecimal(seconds).movePointRight(9).longValueExact();
    }
}
