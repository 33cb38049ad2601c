package dev.tenure.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTest {
    private final Workers workers = new Workers("worker");

    @AfterEach
    void shutdown() {
        workers.shutdown();
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException end) {
            throw new AssertionError(end);
        }
    }

    @Test
    void a_thread_that_finishes_goes_on_with_the_first_thing_that_is_asked_for_meanwhile() {
        AtomicReference<Thread> finishing = new AtomicReference<>();
        AtomicReference<Thread> first = new AtomicReference<>();
        AtomicReference<Thread> second = new AtomicReference<>();
        CountDownLatch both = new CountDownLatch(2);

        workers.execute(() -> {
            finishing.set(Thread.currentThread());
            workers.finish(() -> {
                workers.execute(() -> {
                    first.set(Thread.currentThread());
                    both.countDown();
                });
                workers.execute(() -> {
                    second.set(Thread.currentThread());
                    both.countDown();
                });
            });
        });

        awaitLatch(both);
        assertThat(first.get()).isSameAs(finishing.get());
        assertThat(second.get()).isNotSameAs(finishing.get());
    }

    @Test
    void what_a_thread_asks_for_before_it_finishes_does_not_wait_for_it() {
        CountDownLatch beside = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);

        workers.execute(() -> {
            workers.execute(beside::countDown);
            awaitLatch(beside);
            workers.finish(() -> {});
            over.countDown();
        });

        awaitLatch(over);
    }

    @Test
    void work_that_fails_does_not_keep_its_thread_from_going_on() {
        CountDownLatch next = new CountDownLatch(1);

        workers.execute(() -> {
            workers.finish(() -> workers.execute(next::countDown));
            throw new AssertionError("thrown on purpose");
        });

        awaitLatch(next);
    }

    @Test
    void whoever_goes_on_with_something_else_has_left_its_lane() {
        Lane calls = new Lane(workers::execute, 1);
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch next = new CountDownLatch(1);

        calls.execute(() -> workers.finish(() -> workers.execute(() -> awaitLatch(blocked))));
        calls.execute(next::countDown);

        awaitLatch(next);
        blocked.countDown();
    }

    @Test
    void what_waited_in_the_lane_meanwhile_is_taken_over() {
        Lane calls = new Lane(workers::execute, 1);
        CountDownLatch queued = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch all = new CountDownLatch(2);

        calls.execute(() -> {
            awaitLatch(queued);
            workers.finish(() -> workers.execute(() -> awaitLatch(blocked)));
        });
        for (String name : List.of("first", "second")) {
            calls.execute(() -> {
                order.add(name);
                all.countDown();
            });
        }
        queued.countDown();

        awaitLatch(all);
        assertThat(order).containsExactly("first", "second");
        blocked.countDown();
    }

    @Test
    void what_waits_in_a_lane_at_the_shutdown_is_still_done_also_by_one_who_has_something_to_go_on_with() {
        Lane calls = new Lane(workers::execute, 1);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch shut = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(2);
        calls.execute(() -> {
            begun.countDown();
            awaitLatch(shut);
            workers.finish(() -> workers.execute(all::countDown));
        });
        calls.execute(all::countDown);
        awaitLatch(begun);

        workers.shutdown();
        shut.countDown();

        awaitLatch(all);
    }

    @Test
    void what_a_thread_goes_on_with_finds_no_interrupt_of_before() {
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        CountDownLatch next = new CountDownLatch(1);

        workers.execute(() -> {
            workers.finish(() -> workers.execute(() -> {
                interrupted.set(Thread.currentThread().isInterrupted());
                next.countDown();
            }));
            Thread.currentThread().interrupt();
        });

        awaitLatch(next);
        assertThat(interrupted).hasValue(false);
    }

    @Test
    void a_lane_has_its_room_back_when_no_thread_could_be_made() {
        AtomicInteger failures = new AtomicInteger(3);
        Executor scarce = work -> {
            if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            workers.execute(work);
        };
        Lane calls = new Lane(scarce, 1);
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch last = new CountDownLatch(1);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> calls.execute(() -> done.add("refused"))).isInstanceOf(OutOfMemoryError.class);
        }

        calls.execute(last::countDown);

        awaitLatch(last);
        assertThat(done).isEmpty();
    }

    @Test
    void a_thread_inherits_nothing_of_the_one_that_was_the_first_to_need_it() {
        InheritableThreadLocal<String> context = new InheritableThreadLocal<>();
        context.set("of a user");
        AtomicReference<String> inherited = new AtomicReference<>("not run");
        CountDownLatch done = new CountDownLatch(1);

        workers.execute(() -> {
            inherited.set(String.valueOf(context.get()));
            done.countDown();
        });

        awaitLatch(done);
        context.remove();
        assertThat(inherited).hasValue("null");
    }

    @Test
    void a_lane_is_never_wider_than_it_should_be() {
        Lane calls = new Lane(workers::execute, 2);
        Set<Thread> now = ConcurrentHashMap.newKeySet();
        List<Integer> widths = Collections.synchronizedList(new ArrayList<>());
        int many = 200;
        CountDownLatch all = new CountDownLatch(many);

        for (int i = 0; i < many; i++) {
            boolean goesOn = i % 3 == 0;
            calls.execute(() -> {
                now.add(Thread.currentThread());
                widths.add(now.size());
                Thread.yield();
                now.remove(Thread.currentThread());
                if (goesOn) {
                    workers.finish(() -> workers.execute(Thread::yield));
                }
                all.countDown();
            });
        }

        awaitLatch(all);
        assertThat(widths).allMatch(width -> width <= 2);
    }
}
