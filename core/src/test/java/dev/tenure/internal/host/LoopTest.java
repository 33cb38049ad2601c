package dev.tenure.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopTest {
    private static final BooleanSupplier NOT_WANTED = () -> false;
    private static final String NAME = "the-loop";

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Loop loop = new Loop(NAME, ended::countDown);

    @BeforeEach
    void start() {
        loop.start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        loop.stop();
        awaitLatch(ended);
    }

    private static void awaitLatch(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    }

    /** Its thread has nothing to do, and waits for a timer only if there is one. */
    private void awaitRest() throws InterruptedException {
        CountDownLatch carriedOut = new CountDownLatch(1);
        loop.post(carriedOut::countDown);
        awaitLatch(carriedOut);
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            Thread.State state = threadOf(NAME).getState();
            return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        });
    }

    private static Thread threadOf(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void who_brings_an_event_to_a_loop_at_rest_carries_it_out_and_what_that_posts() throws InterruptedException {
        List<String> carriedOut = new ArrayList<>();
        List<Thread> on = new ArrayList<>();
        awaitRest();

        loop.bring(
                () -> {
                    loop.post(() -> on.add(Thread.currentThread()));
                    loop.post(() -> carriedOut.add("second"));
                    carriedOut.add("first");
                },
                NOT_WANTED);

        assertThat(carriedOut).containsExactly("first", "second");
        assertThat(on).containsExactly(Thread.currentThread());
    }

    @Test
    void what_is_brought_while_somebody_is_inside_waits_for_its_turn() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<String> carriedOut = Collections.synchronizedList(new ArrayList<>());
        loop.post(() -> {
            inside.countDown();
            awaitQuietly(go);
            carriedOut.add("first");
        });
        awaitLatch(inside);

        loop.bring(() -> carriedOut.add("second"), NOT_WANTED);
        List<String> meanwhile = List.copyOf(carriedOut);
        go.countDown();

        assertThat(meanwhile).isEmpty();
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(carriedOut).containsExactly("first", "second"));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            awaitLatch(latch);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_timer_that_was_armed_on_a_borrowed_thread_wakes_a_loop_that_slept_without_one() throws InterruptedException {
        AtomicReference<String> firedOn = new AtomicReference<>("");
        awaitRest();

        loop.bring(
                () -> loop.wakeAt(
                        System.nanoTime() + 1_000_000,
                        () -> firedOn.set(Thread.currentThread().getName())),
                NOT_WANTED);

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(firedOn).hasValue(NAME));
    }

    @Test
    void a_timer_that_was_armed_on_a_borrowed_thread_comes_before_the_one_that_the_loop_sleeps_for()
            throws InterruptedException {
        CountDownLatch fired = new CountDownLatch(1);
        loop.post(() -> loop.wakeAt(System.nanoTime() + Duration.ofHours(1).toNanos(), () -> {}));
        awaitRest();

        loop.bring(() -> loop.wakeAt(System.nanoTime() + 1_000_000, fired::countDown), NOT_WANTED);

        awaitLatch(fired);
    }

    @Test
    void an_interrupt_is_kept_from_the_event_and_given_back() throws InterruptedException {
        AtomicBoolean seen = new AtomicBoolean();
        awaitRest();
        Thread.currentThread().interrupt();

        loop.bring(() -> seen.set(Thread.currentThread().isInterrupted()), NOT_WANTED);
        boolean givenBack = Thread.interrupted();

        assertThat(seen).isFalse();
        assertThat(givenBack).isTrue();
    }

    @Test
    void an_interrupt_by_one_event_is_kept_from_the_next_and_given_back() throws InterruptedException {
        AtomicBoolean seen = new AtomicBoolean();
        awaitRest();

        loop.bring(
                () -> {
                    Thread.currentThread().interrupt();
                    loop.post(() -> seen.set(Thread.currentThread().isInterrupted()));
                },
                NOT_WANTED);
        boolean givenBack = Thread.interrupted();

        assertThat(seen).isFalse();
        assertThat(givenBack).isTrue();
    }

    @Test
    void a_thread_with_something_else_to_do_leaves_the_rest_to_the_loops_own() throws InterruptedException {
        AtomicBoolean wanted = new AtomicBoolean();
        AtomicReference<String> restOn = new AtomicReference<>("");
        awaitRest();

        loop.bring(
                () -> {
                    wanted.set(true);
                    loop.post(() -> restOn.set(Thread.currentThread().getName()));
                },
                wanted::get);

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(restOn).hasValue(NAME));
    }

    @Test
    void a_thread_is_not_borrowed_for_ever() throws InterruptedException {
        AtomicInteger here = new AtomicInteger();
        AtomicInteger there = new AtomicInteger();
        Thread borrowed = Thread.currentThread();
        Runnable endless = new Runnable() {
            @Override
            public void run() {
                if (Thread.currentThread() == borrowed) {
                    here.incrementAndGet();
                    loop.post(this);
                } else {
                    there.incrementAndGet();
                }
            }
        };
        awaitRest();

        loop.bring(endless, NOT_WANTED);

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(there).hasValue(1));
        assertThat(here.get()).isPositive();
    }

    @Test
    void an_event_that_throws_on_a_borrowed_thread_stops_neither_it_nor_the_loop() throws InterruptedException {
        CountDownLatch next = new CountDownLatch(1);
        awaitRest();

        loop.bring(
                () -> {
                    throw new AssertionError("thrown on purpose");
                },
                NOT_WANTED);
        loop.post(next::countDown);

        awaitLatch(next);
    }

    @Test
    void nothing_is_carried_out_once_the_loop_has_ended() throws InterruptedException {
        AtomicBoolean carriedOut = new AtomicBoolean();
        loop.stop();
        awaitLatch(ended);

        loop.bring(() -> carriedOut.set(true), NOT_WANTED);

        assertThat(carriedOut).isFalse();
    }

    @Test
    void many_who_post_and_bring_and_arm_are_never_inside_together_and_none_is_forgotten() throws InterruptedException {
        int threads = 4;
        int each = 20_000;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        int[] last = new int[threads];
        List<String> disordered = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch all = new CountDownLatch(threads * each);
        CountDownLatch timers = new CountDownLatch(threads * each / 100);
        List<Thread> crew = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int who = t;
            crew.add(new Thread(() -> {
                for (int i = 1; i <= each; i++) {
                    int number = i;
                    Runnable event = () -> {
                        if (inside.incrementAndGet() != 1) {
                            together.incrementAndGet();
                        }
                        if (last[who] != number - 1) {
                            disordered.add(who + " has " + number + " after " + last[who]);
                        }
                        last[who] = number;
                        if (number % 100 == 0) {
                            loop.wakeAt(System.nanoTime() + number, timers::countDown);
                        }
                        inside.decrementAndGet();
                        all.countDown();
                    };
                    if ((i + who) % 3 == 0) {
                        loop.bring(event, NOT_WANTED);
                    } else {
                        loop.post(event);
                    }
                }
            }));
        }

        crew.forEach(Thread::start);
        awaitLatch(all);
        awaitLatch(timers);

        assertThat(together).hasValue(0);
        assertThat(disordered).isEmpty();
    }

    @Test
    void nobody_sleeps_through_an_event_that_came_while_it_left() throws InterruptedException {
        for (int i = 0; i < 5_000; i++) {
            CountDownLatch both = new CountDownLatch(2);
            Thread other = new Thread(() -> loop.bring(both::countDown, NOT_WANTED));
            other.start();

            loop.post(both::countDown);

            awaitLatch(both);
        }
    }
}
