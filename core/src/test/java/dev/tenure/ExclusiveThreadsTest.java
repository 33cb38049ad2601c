// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.Quiet;
import dev.tenure.internal.host.SystemHost;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers of {@code exclusively} on real threads: what reaches them, and what does not. */
@Timeout(60)
class ExclusiveThreadsTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    /** Long enough for a machine that stands still for a while, as a body that is interrupted would disturb most of these. */
    private static final Duration TTL = Duration.ofSeconds(6);

    static {
        Quiet.logs();
    }

    private final SystemHost clock = SystemHost.start("exclusive-clock");
    private final MemoryStore store = new MemoryStore(clock);
    private final Tenure a = client("a");
    private final Tenure b = client("b");
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private Tenure client(String node) {
        return Tenure.using(store).node(node).ttl(TTL).open();
    }

    @AfterEach
    void leave() {
        mayEnd.countDown();
        a.close();
        b.close();
        clock.shutdown();
    }

    /** A thread of the user's own. */
    private static final class Caller {
        private final CompletableFuture<Boolean> flagAfterwards = new CompletableFuture<>();
        private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        private final Thread thread;

        Caller(Task task) {
            thread = new Thread(() -> {
                try {
                    task.run();
                    failure.complete(new AssertionError("it did not fail"));
                } catch (Throwable thrown) {
                    failure.complete(thrown);
                }
                flagAfterwards.complete(Thread.currentThread().isInterrupted());
            });
            thread.setDaemon(true);
            thread.start();
        }

        void awaitWaiting() {
            while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
                LockSupport.parkNanos(100_000);
            }
        }

        Throwable failure() throws Exception {
            return failure.get(50, TimeUnit.SECONDS);
        }
    }

    private interface Task {
        void run() throws Exception;
    }

    private Caller holding(Tenure client) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Caller caller = new Caller(() -> client.exclusively("x", LONG, leadership -> {
            begun.countDown();
            mayEnd.await();
        }));
        begun.await();
        return caller;
    }

    private void loseSessions() {
        store.keys("s/").forEach(store::remove);
    }

    @Test
    void the_body_runs_on_the_callers_thread() throws Exception {
        ThreadLocal<String> transaction = new ThreadLocal<>();
        transaction.set("begun here");
        List<String> seen = new ArrayList<>();

        a.exclusively("x", LONG, leadership -> seen.add(transaction.get()));

        assertThat(seen).containsExactly("begun here");
    }

    @Test
    void a_body_that_blocks_holds_up_nothing_else_of_its_client() throws Exception {
        holding(a);
        CountDownLatch performs = new CountDownLatch(1);

        a.elect("y").perform(leadership -> performs.countDown());

        assertThat(performs.await(50, TimeUnit.SECONDS)).isTrue();
        a.exclusively("z", LONG, leadership -> {});
        assertThat(a.stats().byElection().get(ElectionName.of("x")).standing()).isInstanceOf(Standing.Leading.class);
    }

    @Test
    void a_duty_that_goes_on_after_a_body_keeps_nothing_from_running() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        a.elect("y").perform(leadership -> {
            for (int i = 0; i < 20; i++) {
                a.exclusively("x", LONG, body -> {});
            }
            released.countDown();
            mayEnd.await();
        });

        assertThat(released.await(50, TimeUnit.SECONDS)).isTrue();
        a.exclusively("x", LONG, body -> {});
    }

    @Test
    void a_caller_that_is_interrupted_in_the_local_queue_leaves_it() throws Exception {
        holding(a);
        Caller queued = new Caller(() -> a.exclusively("x", LONG, leadership -> {}));
        queued.awaitWaiting();
        AtomicInteger ran = new AtomicInteger();
        Caller next = new Caller(() -> a.exclusively("x", LONG, leadership -> ran.incrementAndGet()));
        next.awaitWaiting();

        queued.thread.interrupt();
        Throwable told = queued.failure();
        mayEnd.countDown();
        next.failure();

        assertThat(told).isInstanceOf(InterruptedException.class);
        assertThat(ran).hasValue(1);
    }

    @Test
    void a_caller_that_is_interrupted_while_another_process_leads_stands_no_more() throws Exception {
        holding(b);
        Caller standing = new Caller(() -> a.exclusively("x", LONG, leadership -> {}));
        while (standing.thread.isAlive() && a.stats().elections() == 0) {
            LockSupport.parkNanos(100_000);
        }

        standing.thread.interrupt();

        assertThat(standing.failure()).isInstanceOf(InterruptedException.class);
        assertThat(a.stats().elections()).isZero();
    }

    @Test
    void a_loss_interrupts_a_body_that_blocks_and_leaves_no_flag_behind() throws Exception {
        Caller caller = holding(a);

        loseSessions();

        assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
        assertThat(caller.flagAfterwards.get()).isFalse();
    }

    @Test
    void a_loss_leaves_no_flag_behind_if_the_body_takes_no_notice_of_it() throws Exception {
        Caller caller = new Caller(() -> a.exclusively("x", LONG, leadership -> {
            loseSessions();
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        }));

        assertThat(caller.failure()).isInstanceOf(NotLeadingException.class);
        assertThat(caller.flagAfterwards.get()).isFalse();
    }

    @Test
    void an_exception_of_a_body_whose_term_was_lost_reaches_the_caller_unchanged() throws Exception {
        IOException thrown = new IOException("disk");
        Caller caller = new Caller(() -> a.exclusively("x", LONG, leadership -> {
            loseSessions();
            while (leadership.isActive()) {
                Thread.onSpinWait();
            }
            throw thrown;
        }));

        assertThat(caller.failure()).isSameAs(thrown);
    }

    @Test
    void no_term_is_left_without_a_caller_however_close_a_grant_comes_to_giving_up() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger gaveUp = new AtomicInteger();
        List<Caller> callers = new ArrayList<>();
        for (Tenure client : List.of(a, a, b, b)) {
            callers.add(new Caller(() -> {
                for (int i = 0; i < 100; i++) {
                    try {
                        client.exclusively("x", Duration.ofNanos(i * 200_000L), leadership -> ran.incrementAndGet());
                    } catch (TimeoutException | InterruptedException expected) {
                        gaveUp.incrementAndGet();
                    }
                }
            }));
        }
        while (callers.stream().anyMatch(caller -> !caller.failure.isDone())) {
            callers.forEach(caller -> caller.thread.interrupt());
            LockSupport.parkNanos(10_000_000);
        }

        a.exclusively("x", LONG, leadership -> ran.incrementAndGet());
        boolean vacant =
                b.leaderOf("x").toCompletableFuture().get(50, TimeUnit.SECONDS).isEmpty();

        assertThat(ran.get() + gaveUp.get()).isEqualTo(401);
        assertThat(ran.get()).as("some ran").isGreaterThan(1);
        assertThat(gaveUp.get()).as("some gave up").isPositive();
        assertThat(vacant).isTrue();
    }

    @Test
    void closing_a_client_while_callers_wait_and_run_ends_all_of_them() throws Exception {
        Caller running = holding(a);
        Caller queued = new Caller(() -> a.exclusively("x", LONG, leadership -> {}));
        queued.awaitWaiting();
        b.elect("y").perform(untilLost());
        while (b.stats().leading() == 0) {
            LockSupport.parkNanos(100_000);
        }
        Caller standing = new Caller(() -> a.exclusively("y", LONG, leadership -> {}));
        standing.awaitWaiting();

        a.close();

        assertThat(running.failure()).isInstanceOf(InterruptedException.class);
        assertThat(running.flagAfterwards.get()).isFalse();
        assertThat(queued.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(standing.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    @Test
    void closing_a_client_from_inside_a_body_is_bounded() throws Exception {
        Caller caller = new Caller(() -> a.exclusively("x", LONG, leadership -> a.close()));

        assertThat(caller.failure()).isInstanceOf(NotLeadingException.class);
    }
}
