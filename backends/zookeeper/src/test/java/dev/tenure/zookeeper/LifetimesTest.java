package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LifetimesTest {
    private static final List<Duration> TICKS = List.of(Duration.ofMillis(200), Duration.ofSeconds(2));
    private static final List<Duration> TTLS =
            List.of(Duration.ofMillis(500), Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(1));

    @Test
    void a_session_is_asked_for_that_lasts_for_the_ttl() {
        for (Duration tick : TICKS) {
            Lifetimes lifetimes = new Lifetimes(tick);
            for (Duration ttl : TTLS) {
                int timeoutMillis = lifetimes.timeoutMillis(ttl);

                assertThat(lifetimes.ttl(timeoutMillis)).isBetween(ttl.minusMillis(1), ttl.plusMillis(2));
            }
        }
    }

    @Test
    void a_renewal_is_never_good_for_longer_than_the_session_surely_lasts() {
        for (Duration tick : TICKS) {
            Lifetimes lifetimes = new Lifetimes(tick);
            for (Duration ttl : TTLS) {
                int timeoutMillis = lifetimes.timeoutMillis(ttl);
                for (long gap = 0; gap <= 2 * ttl.toMillis(); gap += ttl.toMillis() / 50) {
                    long surelyMillis = Math.max(0, timeoutMillis - gap);

                    assertThat(lifetimes
                                    .ttl(timeoutMillis, Duration.ofMillis(gap))
                                    .toMillis())
                            .as("ttl %s, tick %s, %d ms after the one that was counted", ttl, tick, gap)
                            .isLessThanOrEqualTo(surelyMillis);
                }
            }
        }
    }

    @Test
    void renewals_in_their_usual_pace_are_good_for_the_whole_ttl() {
        Lifetimes lifetimes = new Lifetimes(Lifetimes.TICK);
        int timeoutMillis = lifetimes.timeoutMillis(Duration.ofSeconds(10));

        assertThat(lifetimes.ttl(timeoutMillis, Duration.ofMillis(3490))).isEqualTo(lifetimes.ttl(timeoutMillis));
    }

    @Test
    void a_hostile_record_makes_nobody_wait_for_longer_than_any_session_can_last() {
        assertThat(Lifetimes.believed(Duration.ofDays(1))).isEqualTo(Lifetimes.TTL_MAX);
        assertThat(Lifetimes.believed(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(10));
    }
}
