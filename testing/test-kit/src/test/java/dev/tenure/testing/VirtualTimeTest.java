// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {
    private final VirtualTime time = new VirtualTime();
    private final List<String> log = new ArrayList<>();

    @Test
    void events_happen_in_the_order_of_their_instant() {
        time.at(30, () -> log.add("c@" + time.nanos()));
        time.at(10, () -> log.add("a@" + time.nanos()));
        time.at(20, () -> log.add("b@" + time.nanos()));

        time.runUntilIdle();

        assertThat(log).containsExactly("a@10", "b@20", "c@30");
    }

    @Test
    void events_of_one_instant_happen_in_the_order_in_which_they_were_scheduled() {
        for (int i = 0; i < 100; i++) {
            String name = "e" + i;
            time.at(7, () -> log.add(name));
        }

        time.advance(Duration.ofNanos(7));

        assertThat(log).hasSize(100);
        for (int i = 0; i < 100; i++) {
            assertThat(log.get(i)).isEqualTo("e" + i);
        }
    }

    @Test
    void advance_stops_at_its_limit_and_leaves_the_rest() {
        time.after(Duration.ofSeconds(1), () -> log.add("in time"));
        time.after(Duration.ofSeconds(3), () -> log.add("too late"));

        time.advance(Duration.ofSeconds(2));

        assertThat(log).containsExactly("in time");
        assertThat(time.nanos()).isEqualTo(2_000_000_000L);
        assertThat(time.now()).isEqualTo(Instant.parse("2026-01-01T00:00:02Z"));
        assertThat(time.pending()).isEqualTo(1);
    }

    @Test
    void an_event_may_schedule_others_also_for_the_same_instant() {
        time.at(5, () -> {
            log.add("first");
            time.at(5, () -> log.add("second"));
            time.at(0, () -> log.add("the past is now"));
        });

        time.advance(Duration.ofNanos(5));

        assertThat(log).containsExactly("first", "second", "the past is now");
    }

    @Test
    void a_cancelled_event_does_not_happen_and_leaves_the_others_in_order() {
        SplitMix64 random = new SplitMix64(42);
        List<VirtualTime.Event> doomed = new ArrayList<>();
        List<Long> happened = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            long at = random.below(500);
            VirtualTime.Event event = time.at(at, () -> happened.add(at));
            if (i % 3 == 0) {
                doomed.add(event);
            }
        }

        doomed.forEach(VirtualTime.Event::cancel);
        doomed.forEach(VirtualTime.Event::cancel);
        time.runUntilIdle();

        assertThat(happened).hasSize(1000 - doomed.size()).isSorted();
        assertThat(doomed).noneMatch(VirtualTime.Event::isScheduled);
    }

    @Test
    void run_next_moves_to_the_next_event_only() {
        time.at(10, () -> log.add("a"));
        time.at(20, () -> log.add("b"));

        assertThat(time.runNext()).isTrue();
        assertThat(time.runNextUntil(19)).isFalse();
        assertThat(time.nanos()).isEqualTo(10);
        assertThat(time.runNext()).isTrue();
        assertThat(time.runNext()).isFalse();

        assertThat(log).containsExactly("a", "b");
    }

    @Test
    void something_that_repeats_for_ever_is_never_idle() {
        Runnable[] again = new Runnable[1];
        again[0] = () -> time.after(Duration.ofMillis(1), again[0]);
        again[0].run();

        assertThatThrownBy(time::runUntilIdle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("something repeats");
    }

    @Test
    void time_cannot_be_driven_from_inside_an_event() {
        time.at(1, () -> time.advance(Duration.ofSeconds(1)));

        assertThatThrownBy(time::runNext).hasMessageContaining("from inside an event");
    }

    @Test
    void the_same_events_have_the_same_fingerprint_and_others_have_another() {
        assertThat(fingerprint(1)).isEqualTo(fingerprint(1));
        assertThat(fingerprint(1)).isNotEqualTo(fingerprint(2));
    }

    @Test
    void what_another_thread_schedules_happens_when_time_is_driven() {
        CompletableFuture.runAsync(() -> time.at(5, () -> log.add("from outside")))
                .join();

        assertThat(log).isEmpty();
        time.advance(Duration.ofNanos(5));

        assertThat(log).containsExactly("from outside");
    }

    private static long fingerprint(long seed) {
        VirtualTime world = new VirtualTime();
        SplitMix64 random = new SplitMix64(seed);
        for (int i = 0; i < 100; i++) {
            world.at(random.below(1000), () -> {});
        }
        world.runUntilIdle();
        return world.fingerprint();
    }
}
