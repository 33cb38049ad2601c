// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Candidacy;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.contract.BackendLink.State;
import dev.tenure.contract.BackendLink.Verb;
import dev.tenure.spi.ClaimReply;
import dev.tenure.testing.InMemoryFence;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Processes that lose their store: they know by their own clock when their time is over, and unknown outcomes harm nobody. */
interface DeadlineCases extends BackendCases {
    @Test
    default void a_leader_that_is_cut_off_stops_to_be_valid_before_its_successor_begins() {
        assertDisjointAfter(State.CUT);
    }

    @Test
    default void a_leader_that_gets_no_answers_stops_to_be_valid_before_its_successor_begins() {
        assertDisjointAfter(State.DEAF);
    }

    private void assertDisjointAfter(State trouble) {
        BackendLink link = new BackendLink();
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure cutOff = fixture().tenure("cut off", link);
        cutOff.onEvent(events::add);
        cutOff.elect(NAME).perform(dutyLog().duty("cut off"));
        DutyLog.Entry first = fixture().awaitRunning();
        fixture().tenure("next").elect(NAME).perform(dutyLog().duty("next"));
        Sampler sampler = new Sampler(first.leadership());

        link.become(trouble);
        DutyLog.Entry second = fixture().awaitAfter(first);
        long lastValidNanos = fixture().await().reply(sampler.stop());
        link.become(State.UP);

        assertThat(lastValidNanos - second.begunNanos())
                .as("nanoseconds from the successor's begin to the last moment of the predecessor's authority")
                .isLessThanOrEqualTo(0);
        assertThat(first.leadership().isValid()).as("what was lost stays lost").isFalse();
        fixture()
                .await()
                .until(
                        "the loss was told",
                        () -> events.stream()
                                .anyMatch(event -> event instanceof TenureEvent.Lost lost
                                        && lost.term().equals(first.leadership().term())
                                        && lost.loss() instanceof Loss.Expired));
        dutyLog().assertInOrder();
    }

    /** Asks for authority as fast as it can, and remembers when it was last there. */
    final class Sampler {
        private final Leadership leadership;
        private final CompletableFuture<Long> lastValid;
        private volatile boolean stopping;

        Sampler(Leadership leadership) {
            this.leadership = leadership;
            this.lastValid = ConcurrentThreads.start("contract-sampler", this::sample);
        }

        private long sample() {
            long lastNanos = System.nanoTime();
            while (!stopping) {
                long nowNanos = System.nanoTime();
                if (leadership.isValid()) {
                    lastNanos = nowNanos;
                }
                Thread.onSpinWait();
            }
            return lastNanos;
        }

        CompletableFuture<Long> stop() {
            stopping = true;
            return lastValid;
        }
    }

    @Test
    default void a_leader_that_was_cut_off_comes_back_as_a_candidate_and_leads_again() {
        BackendLink link = new BackendLink();
        Candidacy returning = fixture()
                .tenure("returning", link)
                .elect(NAME)
                .perform(dutyLog().duty("returning"));
        DutyLog.Entry first = fixture().awaitRunning();
        Candidacy other =
                fixture().tenure("other").elect(NAME).perform(dutyLog().duty("other"));
        link.become(State.CUT);
        DutyLog.Entry second = fixture().awaitAfter(first);

        link.become(State.UP);
        other.close();
        DutyLog.Entry third = fixture().awaitAfter(second);

        assertThat(third.by()).isEqualTo("returning");
        assertThat(returning.isLeading()).isTrue();
        dutyLog().assertInOrder();
    }

    @Test
    default void a_zombie_is_refused_by_the_fence_from_the_moment_its_successor_leads() {
        BackendLink link = new BackendLink();
        InMemoryFence ledger = new InMemoryFence("ledger");
        fixture()
                .tenure("zombie", link)
                .elect(NAME)
                .fencedBy(ledger)
                .perform(dutyLog().duty("zombie"));
        DutyLog.Entry zombie = fixture().awaitRunning();
        fixture().tenure("next").elect(NAME).fencedBy(ledger).perform(dutyLog().duty("next"));

        link.become(State.CUT);
        DutyLog.Entry next = fixture().awaitAfter(zombie);

        assertThatThrownBy(() -> ledger.write(zombie.leadership().term(), () -> {}))
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        stale -> assertThat(stale.seen()).isEqualTo(next.token()));
        assertThat(ledger.accepted()).isEmpty();
    }

    @Test
    default void a_renewal_whose_answer_is_lost_costs_nothing() {
        BackendLink link = new BackendLink();
        Tenure tenure = fixture().tenure("a", link);
        tenure.elect(NAME).perform(dutyLog().duty("a"));
        // Until a renewal the deadline counts from the opening of the session, and a slow one leaves no time for a
        // retry.
        fixture().await().until("a term was renewed", () -> {
            long before = tenure.stats().renewals();
            DutyLog.Entry running = fixture().awaitRunning();
            fixture().await().until("a renewal", () -> tenure.stats().renewals() > before);
            return running.leadership().isActive();
        });
        DutyLog.Entry term = fixture().awaitRunning();

        link.loseNextAnswerTo(Verb.RENEW);
        fixture().await().until("an answer was lost", () -> !link.lost().isEmpty());
        fixture().await().untilPassed(TestScale.of(fixture().ttl(), 1.2));

        assertThat(dutyLog().latest()).isEqualTo(term);
        assertThat(term.leadership().isActive()).isTrue();
    }

    @Test
    default void a_claim_whose_answer_is_lost_is_not_led_and_the_next_one_has_a_higher_token() {
        BackendLink link = new BackendLink();
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure tenure = fixture().tenure("a", link);
        tenure.onEvent(events::add);
        link.loseNextAnswerTo(Verb.CLAIM);

        tenure.elect(NAME).perform(dutyLog().duty("a"));
        DutyLog.Entry term = fixture().awaitRunning();

        // A claim that was given up may be answered after the next one.
        fixture().await().until("an answer was lost", () -> !link.lost().isEmpty());
        // A store that is slow to elect answers that the claim waits: then it was no grant that was lost.
        assertThat(link.lost()).hasOnlyElementsOfType(ClaimReply.class);
        List<FencingToken> unknown = link.lost().stream()
                .filter(ClaimReply.Granted.class::isInstance)
                .map(reply -> ((ClaimReply.Granted) reply).token())
                .toList();
        assertThat(unknown).allMatch(term.token()::isNewerThan);
        assertThat(dutyLog().entries()).hasSize(1);
        assertThat(events)
                .noneMatch(event -> event instanceof TenureEvent.Elected elected
                        && unknown.contains(elected.term().token()));
    }

    @Test
    default void a_candidate_that_is_closed_over_an_unknown_claim_leaves_nothing_behind() {
        BackendLink link = new BackendLink();
        Candidacy candidacy;
        link.loseNextAnswerTo(Verb.CLAIM);
        candidacy = fixture().tenure("a", link).elect(NAME).perform(dutyLog().duty("a"));
        fixture().await().until("the answer was lost", () -> !link.lost().isEmpty());

        candidacy.close();

        assertThat(fixture().client().read(ELECTION).leader()).isEmpty();
        assertThat(dutyLog().entries()).isEmpty();
        fixture().client().open().take(ELECTION);
    }

    @Test
    default void a_release_whose_answer_is_lost_is_settled_and_the_next_leader_is_not_disturbed() {
        BackendLink link = new BackendLink();
        Candidacy leaving =
                fixture().tenure("leaving", link).elect(NAME).perform(dutyLog().duty("leaving"));
        DutyLog.Entry first = fixture().awaitRunning();
        fixture().tenure("next").elect(NAME).perform(dutyLog().duty("next"));
        link.loseNextAnswerTo(Verb.RELEASE);

        leaving.close();
        DutyLog.Entry second = fixture().awaitAfter(first);
        Loss loss = fixture().await().reply(leaving.retired());
        fixture().await().untilPassed(TestScale.of(fixture().ttl(), 0.6));

        assertThat(loss).isEqualTo(new Loss.Closed());
        assertThat(dutyLog().running()).isEqualTo(Optional.of(second));
        assertThat(second.leadership().isActive()).isTrue();
        dutyLog().assertInOrder();
    }

    @Test
    default void a_client_whose_store_never_answers_can_be_closed() {
        BackendLink link = new BackendLink();
        Tenure tenure = fixture().tenure("a", link);
        tenure.elect(NAME).perform(dutyLog().duty("a"));
        fixture().awaitRunning();
        link.become(State.CUT);

        CompletableFuture<Boolean> closed = ConcurrentThreads.start("contract-closer", () -> {
            tenure.close();
            return true;
        });

        assertThat(fixture().await().reply(closed)).isTrue();
        assertThat(dutyLog().running()).isEmpty();
    }
}
