// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class VirtualDutyTest {
    private static final long SECOND = 1_000_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final VirtualHost host = new VirtualHost("a", time, 1);
    private final List<String> log = new ArrayList<>();

    @AfterEach
    void leave_no_thread_behind() {
        host.close();
        assertThat(threadsOf("a/")).isEmpty();
    }

    @Test
    void a_duty_that_waits_lets_time_pass_and_everything_else_run() {
        Host.Signal never = host.signal();
        host.runDuty("duty", () -> {
            for (int i = 0; i < 3; i++) {
                log.add("duty at " + time.nanos() / SECOND);
                waitFor(never, 2 * SECOND);
            }
            log.add("ended");
        });
        host.wakeAt(host.nanos() + 3 * SECOND, () -> log.add("loop at 3"));

        time.advance(Duration.ofSeconds(10));

        assertThat(log).containsExactly("duty at 0", "duty at 2", "loop at 3", "duty at 4", "ended");
        assertThat(threadsOf("a/")).isEmpty();
    }

    @Test
    void a_signal_wakes_all_who_wait_in_the_order_in_which_they_came() {
        Host.Signal signal = host.signal();
        for (String name : List.of("one", "two", "three")) {
            host.runDuty(
                    name, () -> log.add(name + " " + waitFor(signal, 60 * SECOND) + " at " + time.nanos() / SECOND));
        }
        time.advance(Duration.ofSeconds(5));

        host.post(signal::set);
        time.advance(Duration.ofSeconds(100));

        assertThat(log).containsExactly("one true at 5", "two true at 5", "three true at 5");
        assertThat(signal.isSet()).isTrue();
    }

    @Test
    void a_wait_that_times_out_says_so_and_a_set_signal_does_not_wait() {
        Host.Signal signal = host.signal();
        host.runDuty("duty", () -> {
            log.add("first " + waitFor(signal, SECOND));
            signal.set();
            log.add("second " + waitFor(signal, Long.MAX_VALUE));
        });

        time.advance(Duration.ofSeconds(1));

        assertThat(log).containsExactly("first false", "second true");
    }

    @Test
    void an_interrupt_ends_the_wait() {
        Host.Signal never = host.signal();
        Host.Work work = host.runDuty("duty", () -> {
            try {
                never.await(Long.MAX_VALUE);
            } catch (InterruptedException asked) {
                log.add("interrupted at " + time.nanos() / SECOND);
            }
            log.add("status " + Thread.currentThread().isInterrupted());
        });
        time.advance(Duration.ofSeconds(3));

        work.interrupt();
        time.settle();
        work.interrupt();

        assertThat(log).containsExactly("interrupted at 3", "status false");
    }

    @Test
    void an_interrupt_before_the_wait_is_not_lost() {
        Host.Signal never = host.signal();
        Host.Work work = host.runDuty("duty", () -> {
            try {
                never.await(SECOND);
            } catch (InterruptedException asked) {
                log.add("interrupted");
            }
        });

        work.interrupt();
        time.settle();

        assertThat(log).containsExactly("interrupted");
    }

    @Test
    void a_wait_that_was_over_before_the_interrupt_returns_and_the_next_one_throws() {
        Host.Signal signal = host.signal();
        Host.Work work = host.runDuty("duty", () -> {
            log.add("first " + waitFor(signal, SECOND));
            log.add("status " + Thread.currentThread().isInterrupted());
            try {
                signal.await(SECOND);
            } catch (InterruptedException asked) {
                log.add("interrupted");
            }
        });
        time.settle();

        signal.set();
        work.interrupt();
        time.settle();

        assertThat(log).containsExactly("first true", "status true", "interrupted");
    }

    @Test
    void the_duty_of_a_paused_node_wakes_up_late() {
        Host.Signal never = host.signal();
        host.runDuty("duty", () -> {
            waitFor(never, SECOND);
            log.add("woken at " + time.nanos() / SECOND);
        });
        time.settle();

        host.pause();
        time.advance(Duration.ofSeconds(30));
        assertThat(log).isEmpty();
        host.resume();
        time.settle();

        assertThat(log).containsExactly("woken at 30");
    }

    @Test
    void the_duty_of_a_crashed_node_never_wakes_up_not_even_to_clean_up() {
        Host.Signal never = host.signal();
        host.runDuty("duty", () -> {
            try {
                waitFor(never, SECOND);
                log.add("woken");
            } finally {
                log.add("cleaned up");
            }
        });
        time.settle();

        host.crash();
        time.advance(Duration.ofSeconds(30));

        assertThat(log).isEmpty();
        assertThat(threadsOf("a/")).hasSize(1);
        host.close();
        assertThat(log).containsExactly("cleaned up");
    }

    @Test
    void the_thread_that_drives_time_may_wait_for_a_signal() throws Exception {
        Host.Signal signal = host.signal();
        host.wakeAt(host.nanos() + 7 * SECOND, signal::set);

        assertThat(signal.await(SECOND)).isFalse();
        assertThat(time.nanos()).isEqualTo(SECOND);
        assertThat(signal.await(60 * SECOND)).isTrue();
        assertThat(time.nanos()).isEqualTo(7 * SECOND);
    }

    @Test
    void any_other_thread_waits_until_time_has_passed() throws Exception {
        Host.Signal signal = host.signal();
        CompletableFuture<Boolean> timedOut = CompletableFuture.supplyAsync(() -> waitFor(signal, SECOND));
        CompletableFuture<Boolean> woken = CompletableFuture.supplyAsync(() -> waitFor(signal, Long.MAX_VALUE / 2));

        while (!timedOut.isDone()) {
            time.advance(Duration.ofSeconds(1));
        }
        signal.set();
        while (!woken.isDone()) {
            time.settle();
        }

        assertThat(timedOut.get(1, TimeUnit.SECONDS)).isFalse();
        assertThat(woken.get(1, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_duty_that_dies_of_an_error_fails_the_test_that_drives_it() {
        host.runDuty("duty", () -> {
            throw new IllegalArgumentException("a bug");
        });

        assertThatThrownBy(time::settle)
                .hasMessageContaining("a/duty")
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    private static boolean waitFor(Host.Signal signal, long nanos) {
        try {
            return signal.await(nanos);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private static List<String> threadsOf(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix))
                .toList();
    }
}
