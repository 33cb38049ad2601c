// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VirtualHostTest {
    private static final long SECOND = 1_000_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final VirtualHost host = new VirtualHost("a", time, 1);
    private final List<String> log = new ArrayList<>();

    @AfterEach
    void leave_no_thread_behind() {
        host.close();
    }

    @Test
    void posts_run_in_order_and_never_inside_the_caller() {
        host.post(() -> {
            host.post(() -> log.add("inner"));
            log.add("outer");
        });
        assertThat(log).isEmpty();

        time.settle();

        assertThat(log).containsExactly("outer", "inner");
    }

    @Test
    void calls_and_io_run_as_events_of_their_own() {
        host.post(() -> {
            host.runCallback(() -> log.add("call"));
            host.io().execute(() -> log.add("io"));
            log.add("loop");
        });

        time.settle();

        assertThat(log).containsExactly("loop", "call", "io");
    }

    @Test
    void a_wake_up_comes_at_its_time_on_the_nodes_own_clock_unless_cancelled() {
        host.clock().drift(-500_000);
        host.wakeAt(host.nanos() + SECOND, () -> log.add("at " + time.nanos()));
        Host.Timer cancelled = host.wakeAt(host.nanos() + SECOND, () -> log.add("never"));
        cancelled.cancel();

        time.advance(Duration.ofSeconds(5));

        assertThat(log).containsExactly("at " + 2 * SECOND);
    }

    @Test
    void randomness_is_a_function_of_the_seed() {
        VirtualHost same = new VirtualHost("b", time, 1);
        VirtualHost other = new VirtualHost("c", time, 2);
        List<Long> drawn = List.of(host.random(), host.random());

        assertThat(List.of(same.random(), same.random())).isEqualTo(drawn);
        assertThat(List.of(other.random(), other.random())).isNotEqualTo(drawn);
    }

    @Test
    void a_paused_node_holds_back_everything_and_then_catches_up_in_order() {
        host.pause();
        host.post(() -> log.add("posted first"));
        host.wakeAt(host.nanos() + SECOND, () -> log.add("timer"));
        time.advance(Duration.ofSeconds(5));
        host.post(() -> log.add("posted later"));
        assertThat(log).isEmpty();

        host.resume();
        host.post(() -> log.add("posted after"));
        time.settle();

        assertThat(log).containsExactly("posted first", "timer", "posted later", "posted after");
        assertThat(host.nanos()).isEqualTo(new NodeClock(time, host.nanos()).nanos());
    }

    @Test
    void a_timer_that_is_cancelled_while_held_back_does_not_fire() {
        host.pause();
        host.post(() -> log.add("posted"));
        Host.Timer timer = host.wakeAt(host.nanos() + SECOND, () -> log.add("timer"));
        time.advance(Duration.ofSeconds(2));
        timer.cancel();

        host.resume();
        time.settle();

        assertThat(log).containsExactly("posted");
    }

    @Test
    void a_suspended_node_loses_the_time_it_slept_but_its_wall_clock_does_not() {
        long beforeNanos = host.nanos();
        long beforeMillis = host.wallMillis();
        host.wakeAt(beforeNanos + SECOND, () -> log.add("woken at " + time.nanos()));

        host.suspend();
        time.advance(Duration.ofMinutes(1));
        host.resume();

        assertThat(host.nanos()).isEqualTo(beforeNanos);
        assertThat(host.wallMillis() - beforeMillis).isEqualTo(60_000);
        time.advance(Duration.ofSeconds(1));
        assertThat(log).containsExactly("woken at " + 61 * SECOND);
    }

    @Test
    void a_crashed_node_does_nothing_ever_again() {
        host.post(() -> log.add("posted"));
        host.wakeAt(host.nanos() + SECOND, () -> log.add("timer"));
        host.runDuty("duty", () -> log.add("duty"));

        host.crash();
        host.runCallback(() -> log.add("called"));
        time.advance(Duration.ofSeconds(5));

        assertThat(log).isEmpty();
    }

    @Test
    void a_halt_is_remembered_and_crashes_the_node() {
        host.post(() -> {
            host.post(() -> log.add("after the halt"));
            host.halt("the duty is overdue");
        });
        time.settle();

        assertThat(host.halted()).contains("the duty is overdue");
        assertThat(host.isCrashed()).isTrue();
        assertThat(log).isEmpty();
    }

    @Test
    void a_shutdown_lets_happen_what_was_posted_before() {
        host.post(() -> log.add("before"));
        host.shutdown();
        host.post(() -> log.add("after"));
        host.wakeAt(host.nanos() + SECOND, () -> log.add("timer"));

        time.advance(Duration.ofSeconds(2));

        assertThat(log).containsExactly("before");
    }

    @Test
    void an_event_that_would_wait_is_told_so() {
        Host.Signal signal = host.signal();
        host.runCallback(() -> {
            try {
                signal.await(SECOND);
            } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
        });

        assertThatThrownBy(time::settle).hasMessageContaining("would wait inside an event");
    }
}
