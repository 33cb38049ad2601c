// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.OverduePolicy;
import dev.tenure.Standing;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Duties: how they end, and that nothing of a term runs any more when the next one begins. */
interface DutyCases extends BackendCases {
    Duration COOL_DOWN = Duration.ofMillis(20);
    Duration CLOSE_SLACK = Duration.ofSeconds(30);
    Duration LOOK_AGAIN_AFTER = Duration.ofSeconds(1);
    int LOCKS_PER_CLIENT = 3;

    @Test
    default void a_duty_that_returns_has_completed_and_leaves_the_election_to_others() {
        Candidacy done = fixture().tenure("a").elect(NAME).perform(dutyLog().duty("a", leadership -> {}));

        Loss loss = fixture().await().reply(done.retired());
        fixture().tenure("b").elect(NAME).perform(dutyLog().duty("b"));
        DutyLog.Entry next = fixture().awaitRunning();

        assertThat(loss).isEqualTo(new Loss.Completed());
        assertThat(done.standing()).isEqualTo(new Standing.Retired(loss));
        assertThat(next.by()).isEqualTo("b");
        dutyLog().assertInOrder();
    }

    @Test
    default void a_duty_that_fails_stands_again_with_a_higher_token() {
        AtomicInteger runs = new AtomicInteger();
        fixture().tenure("a").elect(NAME).coolDown(COOL_DOWN).perform(dutyLog().duty("a", leadership -> {
            if (runs.incrementAndGet() < 3) {
                throw new IllegalStateException("fails on purpose");
            }
            restWhileActive(leadership);
        }));

        fixture().await().until("it has failed twice and runs", () -> runs.get() == 3);

        assertThat(dutyLog().entries()).hasSize(3);
        dutyLog().assertInOrder();
    }

    @Test
    default void every_term_is_told_once_when_it_begins_and_once_when_it_has_ended() {
        List<String> told = new CopyOnWriteArrayList<>();
        Tenure tenure = fixture().tenure("a");
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.Elected elected) {
                told.add("elected " + elected.term().token());
            } else if (event instanceof TenureEvent.Lost lost) {
                told.add("lost " + lost.term().token());
            }
        });

        Candidacy candidacy = tenure.elect(NAME).repeat().perform(dutyLog().duty("a", leadership -> {}));
        fixture().await().until("four terms", () -> dutyLog().entries().size() >= 4);
        candidacy.close();

        List<String> expected = dutyLog().entries().stream()
                .flatMap(term -> Stream.of("elected " + term.token(), "lost " + term.token()))
                .toList();
        fixture().await().until("every term was told: " + expected, () -> told.size() >= expected.size());
        assertThat(told).isEqualTo(expected);
        dutyLog().assertInOrder();
    }

    @Test
    default void what_a_listener_is_told_is_already_so() {
        Tenure tenure = fixture().tenure("a");
        CompletableFuture<Candidacy> candidacy = new CompletableFuture<>();
        CompletableFuture<Boolean> led = new CompletableFuture<>();
        CompletableFuture<Standing> afterwards = new CompletableFuture<>();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.Elected) {
                led.complete(fixture().await().reply(candidacy).isLeading());
            } else if (event instanceof TenureEvent.Retired) {
                afterwards.complete(fixture().await().reply(candidacy).standing());
            }
        });

        candidacy.complete(tenure.elect(NAME).perform(dutyLog().duty("a")));
        boolean ledWhenTold = fixture().await().reply(led);
        fixture().await().reply(candidacy).close();

        assertThat(ledWhenTold).isTrue();
        assertThat(fixture().await().reply(afterwards)).isEqualTo(new Standing.Retired(new Loss.Closed()));
    }

    @Test
    default void a_duty_that_repeats_leads_again_after_it_returned() {
        Candidacy repeating =
                fixture().tenure("a").elect(NAME).repeat().perform(dutyLog().duty("a", leadership -> {}));

        fixture().await().until("three runs", () -> dutyLog().entries().size() >= 3);
        repeating.close();

        dutyLog().assertInOrder();
    }

    @Test
    default void a_duty_that_takes_its_time_to_stop_has_ended_before_its_successor_begins() {
        Duration drain = TestScale.of(fixture().ttl(), 0.34);
        Duration stopping = TestScale.of(fixture().ttl(), 0.3);
        Candidacy slow = fixture()
                .tenure("slow")
                .elect(NAME)
                .drainWithin(drain)
                .perform(dutyLog().duty("slow", stopping));
        DutyLog.Entry first = fixture().awaitRunning();
        fixture().tenure("next").elect(NAME).perform(dutyLog().duty("next"));

        slow.resign("deploy");
        DutyLog.Entry second = fixture().awaitAfter(first);

        assertThat(second.by()).isEqualTo("next");
        dutyLog().assertInOrder();
    }

    @Test
    default void an_overdue_duty_keeps_its_claim_until_it_has_ended() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicBoolean told = new AtomicBoolean();
        Candidacy stuck = fixture()
                .tenure("stuck")
                .elect(NAME)
                .drainWithin(COOL_DOWN)
                .onOverdue(OverduePolicy.KEEP_CLAIM)
                .perform(dutyLog().duty("stuck", leadership -> {
                    leadership.onLoss(loss -> told.set(true));
                    awaitStubbornly(mayEnd);
                }));
        DutyLog.Entry first = fixture().awaitRunning();
        Candidacy next = fixture().tenure("next").elect(NAME).perform(dutyLog().duty("next"));

        stuck.resign("deploy");
        fixture().await().until("the duty was told to stop", told::get);
        fixture().await().untilPassed(TestScale.of(fixture().ttl(), 1.3));
        boolean successorWaited = !next.isLeading() && dutyLog().latest() == first;
        mayEnd.countDown();
        fixture().awaitAfter(first);

        assertThat(successorWaited).as("rather no leader than two").isTrue();
        dutyLog().assertInOrder();
    }

    @Test
    default void closing_over_a_duty_that_never_ends_is_bounded_and_its_claim_lapses() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Tenure tenure = fixture().tenure("stuck");
        tenure.elect(NAME).perform(dutyLog().duty("stuck", leadership -> awaitStubbornly(mayEnd)));
        DutyLog.Entry first = fixture().awaitRunning();
        fixture().tenure("next").elect(NAME).perform(dutyLog().duty("next"));

        long beganNanos = System.nanoTime();
        tenure.close();
        Duration took = Duration.ofNanos(System.nanoTime() - beganNanos);
        boolean validAfterwards = first.leadership().isValid();
        DutyLog.Entry second = fixture().awaitAfter(first);
        mayEnd.countDown();

        assertThat(took).isLessThan(fixture().ttl().plus(CLOSE_SLACK));
        assertThat(validAfterwards).as("nobody renews any more").isFalse();
        assertThat(second.by()).isEqualTo("next");
    }

    @Test
    default void a_service_is_switched_on_and_off_with_leadership() {
        List<String> calls = new CopyOnWriteArrayList<>();
        Candidacy candidacy = fixture().tenure("a").elect(NAME).run(new ActivePassive() {
            @Override
            public void warmUp() {
                calls.add("warm up");
            }

            @Override
            public void activate(Leadership leadership) {
                calls.add("on");
            }

            @Override
            public void deactivate(Loss loss) {
                calls.add("off");
            }
        });
        fixture().await().until("it is on", () -> calls.contains("on"));

        candidacy.close();

        assertThat(calls).containsExactly("warm up", "on", "off");
    }

    @Test
    default void a_body_runs_exclusively() {
        List<Tenure> clients = new ArrayList<>();
        for (String node : List.of("a", "b", "c")) {
            clients.add(fixture().tenure(node));
        }
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();

        ConcurrentThreads.together(clients.size(), fixture().await(), member -> {
            for (int i = 0; i < LOCKS_PER_CLIENT; i++) {
                clients.get(member).exclusively(NAME, fixture().await().limit(), leadership -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    done.incrementAndGet();
                    inside.decrementAndGet();
                });
            }
            return member;
        });

        assertThat(done).hasValue(clients.size() * LOCKS_PER_CLIENT);
        assertThat(most).as("bodies at a time").hasValue(1);
    }

    @Test
    default void a_body_that_has_to_wait_too_long_does_not_run() {
        fixture().tenure("holder").elect(NAME).perform(dutyLog().duty("holder"));
        fixture().awaitRunning();
        Tenure waiting = fixture().tenure("waiting");
        AtomicBoolean ran = new AtomicBoolean();

        assertThatThrownBy(() ->
                        waiting.exclusively(NAME, TestScale.of(fixture().ttl(), 0.2), leadership -> ran.set(true)))
                .isInstanceOf(TimeoutException.class);
        assertThat(ran).isFalse();
    }

    @Test
    default void what_a_body_throws_is_thrown_and_the_election_is_free_again() throws Exception {
        Tenure tenure = fixture().tenure("a");

        assertThatThrownBy(() -> tenure.exclusively(NAME, fixture().await().limit(), leadership -> {
                    throw new IllegalStateException("on purpose");
                }))
                .hasMessage("on purpose");

        CompletableFuture<Boolean> ran = new CompletableFuture<>();
        fixture().tenure("b").exclusively(NAME, fixture().await().limit(), leadership -> ran.complete(true));
        assertThat(ran).isCompleted();
    }

    static void restWhileActive(Leadership leadership) throws InterruptedException {
        while (leadership.isActive()) {
            leadership.rest(LOOK_AGAIN_AFTER);
        }
    }

    /** Waits, whatever interrupts it: the worst that user code can do short of never ending. */
    private static void awaitStubbornly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignoredOnPurpose) {
                Thread.interrupted();
            }
        }
    }
}
