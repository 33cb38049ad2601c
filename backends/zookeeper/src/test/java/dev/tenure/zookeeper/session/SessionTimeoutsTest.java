package dev.tenure.zookeeper.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionTimeoutsTest {
    private static final List<Duration> TICKS = List.of(Duration.ofMillis(200), Duration.ofSeconds(2));
    private static final List<Duration> TTLS =
            List.of(Duration.ofMillis(500), Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(1));

    @Test
    void a_session_is_asked_for_that_lasts_for_the_ttl() {
        for (Duration tick : TICKS) {
            SessionTimeouts timeouts = new SessionTimeouts(tick);
            for (Duration ttl : TTLS) {
                int timeoutMillis = timeouts.timeoutMillis(ttl);

                assertThat(timeouts.ttl(timeoutMillis)).isBetween(ttl.minusMillis(1), ttl.plusMillis(2));
            }
        }
    }

    @Test
    void a_renewal_is_never_good_for_longer_than_the_session_surely_lasts() {
        for (Duration tick : TICKS) {
            SessionTimeouts timeouts = new SessionTimeouts(tick);
            for (Duration ttl : TTLS) {
                int timeoutMillis = timeouts.timeoutMillis(ttl);
                for (long gap = 0; gap <= 2 * ttl.toMillis(); gap += ttl.toMillis() / 50) {
                    long surelyMillis = Math.max(0, timeoutMillis - gap);

                    assertThat(timeouts.ttl(timeoutMillis, Duration.ofMillis(gap))
                                    .toMillis())
                            .as("ttl %s, tick %s, %d ms after the one that was counted", ttl, tick, gap)
                            .isLessThanOrEqualTo(surelyMillis);
                }
            }
        }
    }

    @Test
    void renewals_in_their_usual_pace_are_good_for_the_whole_ttl() {
        SessionTimeouts timeouts = new SessionTimeouts(SessionTimeouts.TICK);
        int timeoutMillis = timeouts.timeoutMillis(Duration.ofSeconds(10));

        assertThat(timeouts.ttl(timeoutMillis, Duration.ofMillis(3490))).isEqualTo(timeouts.ttl(timeoutMillis));
    }

    @Test
    void a_session_outlasts_the_ttl_by_a_renewal_and_half_a_tick() {
        SessionTimeouts timeouts = new SessionTimeouts(Duration.ofSeconds(2));

        for (int seconds : new int[] {1, 2, 3, 10, 30, 600}) {
            Duration asked = Duration.ofSeconds(seconds);
            int timeout = timeouts.timeoutMillis(asked);
            Duration ttl = timeouts.ttl(timeout);
            double halfTick = Math.min(1000, timeout / 4.0);

            assertThat(ttl).isBetween(asked, asked.plusMillis(2));
            assertThat(ttl.toMillis() * 1.25 + halfTick).isLessThanOrEqualTo(timeout);
        }
    }
}
