// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.fakes.MemoryStore.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing a client whose user code blocks: everything retires, and nothing is told afterwards. */
@Timeout(60)
class BlockedCloseTest extends BlockingScene {
    @Test
    void a_candidacy_retires_with_its_client_although_its_duty_never_ends() throws Exception {
        Candidacy candidacy = tenure.elect("x").perform(leadership -> hang());
        assertThat(candidacy.awaitLeading(SOON)).isTrue();
        var retired = candidacy.retired().toCompletableFuture();

        tenure.close();

        assertThat(retired.get(20, TimeUnit.SECONDS)).isEqualTo(new Loss.Closed());
        assertThat(candidacy.standing()).isEqualTo(new Standing.Retired(new Loss.Closed()));
    }

    @Test
    void a_client_that_is_closed_in_its_own_duty_retires_its_candidacy_whatever_the_duty_does_then() throws Exception {
        CountDownLatch returned = new CountDownLatch(1);
        AtomicReference<Leadership> term = new AtomicReference<>();
        Candidacy candidacy = tenure.elect("x").perform(leadership -> {
            term.set(leadership);
            tenure.close();
            returned.countDown();
            hang();
        });
        var retired = candidacy.retired().toCompletableFuture();

        awaitLatch(returned);

        assertThat(term.get().isValid()).isFalse();
        assertThat(retired.get(20, TimeUnit.SECONDS)).isEqualTo(new Loss.Closed());
    }

    @Test
    void a_candidacy_that_stands_while_its_client_closes_is_refused_or_retires() throws Exception {
        for (int round = 0; round < 300; round++) {
            Tenure closing = Tenure.using(store).node("r" + round).open();
            CountDownLatch go = new CountDownLatch(1);
            Thread closer = new Thread(() -> {
                go.countDown();
                closing.close();
            });
            closer.start();
            awaitLatch(go);
            List<Candidacy> stood = new ArrayList<>();
            try {
                for (int i = 0; i < 1_000; i++) {
                    stood.add(closing.elect("e" + i).perform(untilLost()));
                }
            } catch (IllegalStateException refused) {
                assertThat(refused).hasMessageContaining("closed");
            }
            closer.join();

            for (Candidacy candidacy : stood) {
                assertThat(candidacy.retired().toCompletableFuture().get(20, TimeUnit.SECONDS))
                        .isEqualTo(new Loss.Closed());
            }
        }
    }

    @Test
    void no_event_arrives_after_the_client_was_closed() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();
        AtomicInteger late = new AtomicInteger();
        CountDownLatch blocked = new CountDownLatch(1);
        AtomicReference<Thread> returned = new AtomicReference<>();
        tenure.onEvent(event -> {
            late.addAndGet(closed.get() ? 1 : 0);
            blocked.countDown();
            hang();
            returned.set(Thread.currentThread());
        });
        tenure.elect("x").perform(untilLost());
        awaitLatch(blocked);

        tenure.close();
        closed.set(true);
        forever.countDown();

        await().atMost(SOON)
                .until(() -> returned.get() != null && returned.get().getState() != Thread.State.RUNNABLE);
        assertThat(late).hasValue(0);
    }

    @Test
    void closing_delivers_the_events_of_before_and_may_be_done_by_a_listener() throws Exception {
        Queue<TenureEvent> seen = new ConcurrentLinkedQueue<>();
        CountDownLatch closedByListener = new CountDownLatch(1);
        tenure.onEvent(seen::add);
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.Elected) {
                tenure.close();
                closedByListener.countDown();
            }
        });

        tenure.elect("x").perform(untilLost());
        awaitLatch(closedByListener);

        assertThat(seen).anyMatch(TenureEvent.Retired.class::isInstance);
    }

    @Test
    void a_service_whose_activation_outlasts_its_client_is_switched_off() throws Exception {
        Service slow = new Service() {
            @Override
            public void activate(Leadership begun) throws Exception {
                super.activate(begun);
                hang();
            }
        };
        tenure.elect("x").run(slow);
        awaitLatch(slow.on);

        tenure.close();
        forever.countDown();

        awaitLatch(slow.off);
    }

    @Test
    void a_candidacy_retires_although_all_threads_for_callbacks_are_taken() throws Exception {
        Tenure narrow = Tenure.using(store)
                .node("narrow")
                .ttl(Duration.ofSeconds(2))
                .callbackThreadsMax(1)
                .open();
        clients.add(narrow);
        Service hanging = new Service() {
            @Override
            public void deactivate(Loss loss) {
                hang();
            }
        };
        Candidacy first = narrow.elect("first").run(hanging);
        awaitLatch(hanging.on);
        Candidacy second = narrow.elect("second").perform(untilLost());
        assertThat(second.awaitLeading(SOON)).isTrue();
        var retired =
                List.of(first.retired().toCompletableFuture(), second.retired().toCompletableFuture());

        narrow.close();

        for (var one : retired) {
            assertThat(one.get(20, TimeUnit.SECONDS)).isEqualTo(new Loss.Closed());
        }
    }

    @Test
    void closing_on_an_interrupted_thread_drains_releases_and_tells_as_on_any_other() throws Exception {
        Queue<TenureEvent> seen = new ConcurrentLinkedQueue<>();
        tenure.onEvent(seen::add);
        Candidacy candidacy = tenure.elect("x").perform(untilLost());
        assertThat(candidacy.awaitLeading(SOON)).isTrue();

        Thread.currentThread().interrupt();
        tenure.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).anyMatch(TenureEvent.Retired.class::isInstance);
        assertThat(store.peek("c/x").value()).contains("state=VACANT");
    }

    @Test
    void a_question_to_the_store_is_answered_however_close_it_comes_to_closing() throws Exception {
        store.fateOfAll("read", Fate.DROP);
        var unanswered = tenure.leaderOf("x").toCompletableFuture();

        tenure.close();

        assertThatThrownBy(() -> unanswered.get(20, TimeUnit.SECONDS)).hasMessageContaining("closed");
        store.heal();
        for (int round = 0; round < 200; round++) {
            Tenure closing = Tenure.using(store).node("r" + round).open();
            Thread closer = new Thread(closing::close);
            closer.start();
            List<CompletionStage<?>> questions = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                questions.add(closing.elections());
            }
            for (CompletionStage<?> question : questions) {
                awaitEnd(question);
            }
        }
    }

    private static void awaitEnd(CompletionStage<?> question) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        question.whenComplete((reply, failure) -> ended.countDown());
        awaitLatch(ended);
    }

    @Test
    void a_second_close_waits_for_the_first() throws Exception {
        CountDownLatch stopping = new CountDownLatch(1);
        Service slow = new Service() {
            @Override
            public void deactivate(Loss loss) throws Exception {
                stopping.countDown();
                forever.await(500, TimeUnit.MILLISECONDS);
                super.deactivate(loss);
            }
        };
        Candidacy candidacy =
                tenure.elect("x").drainWithin(Duration.ofMillis(300)).run(slow);
        awaitLatch(slow.on);
        Thread first = new Thread(tenure::close);
        first.start();
        awaitLatch(stopping);

        tenure.close();

        assertThat(candidacy.standing()).isInstanceOf(Standing.Retired.class);
        first.join();
    }
}
