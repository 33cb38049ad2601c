// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.zookeeper.client.Settings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionTimeoutsTest {
    private static final List<Duration> TICKS = List.of(Duration.ofMillis(200), Duration.ofSeconds(2));
    private static final List<Duration> TTLS =
            List.of(Duration.ofMillis(500), Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(1));

    @Test
    void the_session_timeout_is_the_ttl_and_leaves_room_for_a_renewal_and_half_a_tick() {
        for (Duration tick : TICKS) {
            SessionTimeouts timeouts = new SessionTimeouts(tick);
            for (Duration ttl : TTLS) {
                int timeoutMillis = timeouts.timeoutMillis(ttl);
                long usableMillis = timeouts.usable(timeoutMillis).toMillis();
                double halfTickMillis = Math.min(timeoutMillis / 4.0, tick.toMillis() / 2.0);

                assertThat(timeoutMillis).isEqualTo(ttl.toMillis());
                assertThat(1.25 * usableMillis + halfTickMillis).isBetween(timeoutMillis - 2.0, timeoutMillis + 0.0);
            }
        }
    }

    @Test
    void ten_seconds_at_the_usual_tick_are_good_for_seven() {
        assertThat(new SessionTimeouts(Settings.TICK).usable(10_000)).isEqualTo(Duration.ofMillis(7200));
    }

    @Test
    void a_renewal_is_never_good_for_longer_than_the_session_surely_lasts() {
        for (Duration tick : TICKS) {
            SessionTimeouts timeouts = new SessionTimeouts(tick);
            for (Duration ttl : TTLS) {
                int timeoutMillis = timeouts.timeoutMillis(ttl);
                for (long gap = 0; gap <= 2 * ttl.toMillis(); gap += ttl.toMillis() / 50) {
                    long surelyMillis = Math.max(0, timeoutMillis - gap);

                    assertThat(timeouts.usable(timeoutMillis, Duration.ofMillis(gap))
                                    .toMillis())
                            .as("ttl %s, tick %s, %d ms after the one that was counted", ttl, tick, gap)
                            .isLessThanOrEqualTo(surelyMillis);
                }
            }
        }
    }

    @Test
    void renewals_in_their_usual_pace_are_good_for_all_that_is_usable() {
        SessionTimeouts timeouts = new SessionTimeouts(Settings.TICK);
        int timeoutMillis = timeouts.timeoutMillis(Duration.ofSeconds(10));

        assertThat(timeouts.usable(timeoutMillis, Duration.ofMillis(2790))).isEqualTo(timeouts.usable(timeoutMillis));
    }
}
