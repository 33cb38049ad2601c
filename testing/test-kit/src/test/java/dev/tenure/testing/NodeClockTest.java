// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeClockTest {
    private static final long SECOND = 1_000_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final NodeClock clock = new NodeClock(time, 7 * SECOND);

    @Test
    void a_clock_starts_at_its_offset_and_drifts_at_its_rate() {
        assertThat(clock.nanos()).isEqualTo(7 * SECOND);

        clock.drift(50_000);
        time.advance(Duration.ofSeconds(10));
        clock.drift(-50_000);
        time.advance(Duration.ofSeconds(10));

        assertThat(clock.nanos()).isEqualTo(7 * SECOND + 10_500_000_000L + 9_500_000_000L);
    }

    @Test
    void the_world_time_of_a_reading_is_the_first_instant_that_shows_it() {
        SplitMix64 random = new SplitMix64(3);
        for (int round = 0; round < 1000; round++) {
            clock.drift(random.below(400_000) - 200_000);
            time.advance(Duration.ofNanos(random.below(100 * SECOND)));
            long target = clock.nanos() + 1 + random.below(3600 * SECOND);

            long world = clock.worldNanosAt(target);
            time.runUntil(world - 1);
            assertThat(clock.nanos()).isLessThan(target);
            time.runUntil(world);
            assertThat(clock.nanos()).isGreaterThanOrEqualTo(target);
        }
    }

    @Test
    void a_frozen_clock_stands_still_while_the_wall_goes_on() {
        clock.freeze();
        time.advance(Duration.ofSeconds(60));

        assertThat(clock.nanos()).isEqualTo(7 * SECOND);
        assertThat(clock.wallMillis()).isEqualTo(VirtualTime.EPOCH_MILLIS + 60_000);
        assertThat(clock.worldNanosAt(8 * SECOND)).isEqualTo(Long.MAX_VALUE);

        clock.thaw();
        time.advance(Duration.ofSeconds(1));

        assertThat(clock.nanos()).isEqualTo(8 * SECOND);
    }

    @Test
    void the_wall_clock_steps_both_ways_and_the_monotonic_one_does_not_notice() {
        clock.stepWall(Duration.ofHours(-1));
        assertThat(clock.wallMillis()).isEqualTo(VirtualTime.EPOCH_MILLIS - 3_600_000);
        clock.stepWall(Duration.ofHours(2));
        assertThat(clock.wallMillis()).isEqualTo(VirtualTime.EPOCH_MILLIS + 3_600_000);

        assertThat(clock.nanos()).isEqualTo(7 * SECOND);
    }

    @Test
    void wake_ups_follow_every_change_of_the_clock() {
        VirtualHost host = new VirtualHost("a", time, clock, 1);
        List<Long> woken = new ArrayList<>();
        host.wakeAt(clock.nanos() + 10 * SECOND, () -> woken.add(time.nanos() / SECOND));

        time.advance(Duration.ofSeconds(5));
        clock.freeze();
        time.advance(Duration.ofSeconds(100));
        clock.thaw();
        clock.drift(1_000_000);
        time.advance(Duration.ofSeconds(10));

        assertThat(woken).containsExactly(107L);
    }

    @Test
    void a_leap_makes_wake_ups_due_at_once_in_their_order() {
        VirtualHost host = new VirtualHost("a", time, clock, 1);
        List<String> woken = new ArrayList<>();
        host.wakeAt(clock.nanos() + 10 * SECOND, () -> woken.add("late"));
        host.wakeAt(clock.nanos() + 5 * SECOND, () -> woken.add("early"));
        host.wakeAt(clock.nanos() + 90 * SECOND, () -> woken.add("not yet"));

        clock.leap(Duration.ofMinutes(1));
        time.settle();

        assertThat(woken).containsExactly("early", "late");
    }
}
