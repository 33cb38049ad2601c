// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.fakes.Quiet;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real machine, in real time: only what cannot be told of a manual one. */
@Timeout(30)
class SystemHostTest {
    static {
        Quiet.logs();
    }

    private static final AtomicInteger HOSTS = new AtomicInteger();

    private final String name = "host-under-test-" + HOSTS.incrementAndGet();
    private final SystemHost host = SystemHost.start(name);

    @AfterEach
    void stop() {
        host.shutdown();
    }

    private static void awaitLatch(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    }

    private void awaitRest() throws InterruptedException {
        CountDownLatch posted = new CountDownLatch(1);
        host.post(posted::countDown);
        awaitLatch(posted);
        await().atMost(Duration.ofSeconds(10))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(each ->
                                each.getName().equals(name + "-loop") && each.getState() == Thread.State.WAITING));
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(each -> each.startsWith(name))
                .toList();
    }

    @Test
    void events_run_in_order_on_one_thread() throws InterruptedException {
        List<Integer> seen = new ArrayList<>();
        Set<Thread> on = new HashSet<>();
        CountDownLatch done = new CountDownLatch(1);
        for (int i = 0; i < 1000; i++) {
            int number = i;
            host.post(() -> {
                seen.add(number);
                on.add(Thread.currentThread());
            });
        }
        host.post(done::countDown);
        awaitLatch(done);

        assertThat(seen).hasSize(1000).isSorted();
        assertThat(on).hasSize(1);
        assertThat(on.iterator().next().isDaemon()).isTrue();
    }

    @Test
    void the_loop_survives_whatever_an_event_throws() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        host.post(() -> {
            throw new IllegalStateException("event");
        });
        host.post(() -> {
            throw new StackOverflowError("event");
        });
        host.post(() -> host.wakeAt(host.nanos(), () -> {
            throw new OutOfMemoryError("timer");
        }));
        host.post(done::countDown);
        host.post(() -> host.wakeAt(host.nanos() + 1_000_000, done::countDown));

        awaitLatch(done);
    }

    @Test
    void timers_fire_by_time_and_then_in_the_order_of_arming() throws InterruptedException {
        List<String> fired = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(5);
        host.post(() -> {
            long base = host.nanos() + 20_000_000;
            host.wakeAt(base + 30_000_000, () -> fire(fired, "late", done));
            host.wakeAt(base, () -> fire(fired, "first", done));
            host.wakeAt(base + 10_000_000, () -> fire(fired, "middle", done));
            host.wakeAt(base, () -> fire(fired, "second", done));
            host.wakeAt(base - Duration.ofHours(1).toNanos(), () -> fire(fired, "past", done));
        });
        awaitLatch(done);

        assertThat(fired).containsExactly("past", "first", "second", "middle", "late");
    }

    private static void fire(List<String> fired, String what, CountDownLatch done) {
        fired.add(what);
        done.countDown();
    }

    @Test
    void a_timer_never_fires_early() throws InterruptedException {
        AtomicReference<Long> firedAt = new AtomicReference<>(0L);
        AtomicReference<Long> due = new AtomicReference<>(0L);
        CountDownLatch done = new CountDownLatch(1);
        host.post(() -> {
            due.set(host.nanos() + 30_000_000);
            host.wakeAt(due.get(), () -> {
                firedAt.set(host.nanos());
                done.countDown();
            });
        });
        awaitLatch(done);

        assertThat(firedAt.get()).isGreaterThanOrEqualTo(due.get());
    }

    @Test
    void a_cancelled_timer_does_not_fire_and_hides_none_behind_it() throws InterruptedException {
        List<String> fired = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(1);
        host.post(() -> {
            Host.Timer first = host.wakeAt(host.nanos() + 5_000_000, () -> fired.add("cancelled"));
            host.wakeAt(host.nanos() + 10_000_000, () -> fire(fired, "kept", done));
            first.cancel();
            first.cancel();
        });
        awaitLatch(done);

        assertThat(fired).containsExactly("kept");
    }

    @Test
    void a_post_wakes_a_loop_that_waits_for_a_far_timer() throws InterruptedException {
        CountDownLatch armed = new CountDownLatch(1);
        host.post(() -> {
            host.wakeAt(host.nanos() + Duration.ofHours(1).toNanos(), () -> {});
            armed.countDown();
        });
        awaitLatch(armed);
        CountDownLatch done = new CountDownLatch(1);

        host.post(done::countDown);

        awaitLatch(done);
    }

    @Test
    void a_duty_is_interrupted_while_it_runs() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Host.Work work = host.runDuty(name + "-x", () -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException expected) {
                interrupted.countDown();
            }
        });
        awaitLatch(begun);

        work.interrupt();

        awaitLatch(interrupted);
    }

    @Test
    void an_interrupt_after_the_end_does_not_reach_the_next_duty_of_the_thread() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            CountDownLatch first = new CountDownLatch(1);
            AtomicReference<Thread> thread = new AtomicReference<>();
            Host.Work ended = host.runDuty(name + "-first", () -> {
                thread.set(Thread.currentThread());
                first.countDown();
            });
            awaitLatch(first);
            AtomicBoolean interrupted = new AtomicBoolean();
            CountDownLatch second = new CountDownLatch(1);
            host.runDuty(name + "-second", () -> {
                ended.interrupt();
                interrupted.set(Thread.currentThread().isInterrupted());
                second.countDown();
            });
            awaitLatch(second);

            assertThat(interrupted).isFalse();
        }
    }

    @Test
    void a_duty_that_leaves_its_interrupt_flag_set_does_not_hand_it_on() throws InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        host.runDuty(name + "-first", () -> {
            Thread.currentThread().interrupt();
            first.countDown();
        });
        awaitLatch(first);
        for (int i = 0; i < 20; i++) {
            AtomicBoolean interrupted = new AtomicBoolean(true);
            CountDownLatch next = new CountDownLatch(1);
            host.runDuty(name + "-next", () -> {
                interrupted.set(Thread.currentThread().isInterrupted());
                next.countDown();
            });
            awaitLatch(next);

            assertThat(interrupted).isFalse();
        }
    }

    @Test
    void duties_run_side_by_side_each_on_a_thread_with_its_name() throws InterruptedException {
        int count = 50;
        CountDownLatch all = new CountDownLatch(count);
        CountDownLatch release = new CountDownLatch(1);
        Set<String> names = Collections.synchronizedSet(new HashSet<>());
        for (int i = 0; i < count; i++) {
            host.runDuty(name + "-d" + i, () -> {
                names.add(Thread.currentThread().getName());
                all.countDown();
                awaitQuietly(release);
            });
        }
        awaitLatch(all);
        release.countDown();

        assertThat(names).hasSize(count).contains(name + "-d0");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_call_that_leaves_its_interrupt_flag_set_does_not_hand_it_on() throws InterruptedException {
        List<Boolean> interrupted = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch queued = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(8);
        Runnable call = () -> {
            awaitQuietly(queued);
            interrupted.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
            all.countDown();
        };

        for (int i = 0; i < 8; i++) {
            host.runCallback(call);
        }
        queued.countDown();
        awaitLatch(all);

        assertThat(interrupted).hasSize(8).containsOnly(false);
    }

    @Test
    void a_duty_that_throws_an_error_costs_nothing_else() throws InterruptedException {
        host.runDuty(name + "-bad", () -> {
            throw new LinkageError("duty");
        });
        CountDownLatch done = new CountDownLatch(1);

        host.runDuty(name + "-good", done::countDown);

        awaitLatch(done);
    }

    @Test
    void callbacks_use_a_bounded_number_of_threads_and_none_is_lost() throws InterruptedException {
        SystemHost narrow = SystemHost.start(name + "-narrow", 3);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(2_000);
        Runnable callback = () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            Thread.yield();
            running.decrementAndGet();
            done.countDown();
        };

        for (int i = 0; i < 2_000; i++) {
            narrow.runCallback(callback);
        }
        awaitLatch(done);

        assertThat(most.get()).isBetween(1, 3);
        narrow.shutdown();
    }

    @Test
    void an_idle_thread_is_used_before_a_new_one_is_made() throws InterruptedException {
        Set<Thread> used = Collections.synchronizedSet(new HashSet<>());
        for (int i = 0; i < 20; i++) {
            CountDownLatch done = new CountDownLatch(1);
            host.runFinalCallback(() -> {
                used.add(Thread.currentThread());
                done.countDown();
            });
            awaitLatch(done);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> used.stream().allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
        }

        assertThat(used).hasSize(1);
    }

    @Test
    void code_that_ends_work_never_waits_for_callbacks_that_hang() throws InterruptedException {
        SystemHost narrow = SystemHost.start(name + "-narrow", 2);
        CountDownLatch release = new CountDownLatch(1);
        for (int i = 0; i < 5; i++) {
            narrow.runCallback(() -> awaitQuietly(release));
        }
        CountDownLatch ended = new CountDownLatch(1);

        narrow.runFinalCallback(ended::countDown);

        awaitLatch(ended);
        release.countDown();
        narrow.shutdown();
    }

    @Test
    void a_thread_inherits_nothing_of_the_one_that_was_the_first_to_need_it() throws InterruptedException {
        InheritableThreadLocal<String> context = new InheritableThreadLocal<>();
        context.set("of a user");
        AtomicReference<String> inherited = new AtomicReference<>("not run");
        CountDownLatch done = new CountDownLatch(1);

        host.runCallback(() -> {
            inherited.set(String.valueOf(context.get()));
            done.countDown();
        });

        awaitLatch(done);
        context.remove();
        assertThat(inherited).hasValue("null");
    }

    @Test
    void a_call_that_throws_does_not_stop_the_next_one() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        host.runCallback(() -> {
            throw new AssertionError("call");
        });
        host.runCallback(done::countDown);
        host.io().execute(() -> {
            throw new AssertionError("io");
        });
        host.io().execute(done::countDown);

        awaitLatch(done);
    }

    @Test
    void shutdown_runs_what_was_posted_before_and_then_ends_every_thread() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        host.runCallback(() -> {});
        host.post(() -> host.wakeAt(host.nanos() + Duration.ofHours(1).toNanos(), () -> {}));
        host.post(ran::countDown);

        host.shutdown();
        awaitLatch(ran);

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    @Test
    void calls_after_shutdown_are_dropped_without_harm() throws InterruptedException {
        CountDownLatch last = new CountDownLatch(1);
        host.post(last::countDown);
        host.shutdown();
        awaitLatch(last);
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(threads()).isEmpty());

        host.runCallback(() -> {});
        host.io().execute(() -> {});
        host.post(() -> {});
        host.shutdown();
    }

    @Test
    void an_idle_host_costs_one_thread() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        host.post(done::countDown);
        awaitLatch(done);

        assertThat(threads()).containsExactly(name + "-loop");
    }

    @Test
    void a_signal_is_seen_by_all_who_wait_and_stays_set() throws InterruptedException {
        Host.Signal signal = host.signal();
        assertThat(signal.isSet()).isFalse();
        assertThat(signal.await(1)).isFalse();
        assertThat(signal.await(-1)).isFalse();
        CountDownLatch seen = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            host.runDuty(name + "-w" + i, () -> {
                try {
                    if (signal.await(Duration.ofSeconds(10).toNanos())) {
                        seen.countDown();
                    }
                } catch (InterruptedException unexpected) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        signal.set();

        awaitLatch(seen);
        assertThat(signal.isSet()).isTrue();
        assertThat(signal.await(0)).isTrue();
    }

    @Test
    void clocks_and_chance_are_those_of_the_machine() {
        long before = System.nanoTime();
        long nanos = host.nanos();

        assertThat(nanos).isBetween(before, System.nanoTime());
        assertThat(host.wallMillis()).isCloseTo(System.currentTimeMillis(), org.assertj.core.data.Offset.offset(1000L));
        assertThat(host.random()).isNotEqualTo(host.random());
    }
}
