package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.contract.Link.State;
import dev.tenure.contract.Link.Verb;
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
        Link link = new Link();
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure cutOff = lab().tenure("cut off", link);
        cutOff.onEvent(events::add);
        cutOff.elect(NAME).perform(logbook().duty("cut off"));
        Logbook.Entry first = lab().awaitRunning();
        lab().tenure("next").elect(NAME).perform(logbook().duty("next"));
        Sampler sampler = new Sampler(first.leadership());

        link.become(trouble);
        Logbook.Entry second = lab().awaitAfter(first);
        long lastValidNanos = lab().patience().reply(sampler.stop());
        link.become(State.UP);

        assertThat(lastValidNanos - second.begunNanos())
                .as("nanoseconds from the successor's begin to the last moment of the predecessor's authority")
                .isLessThanOrEqualTo(0);
        assertThat(first.leadership().isValid()).as("what was lost stays lost").isFalse();
        lab().patience()
                .until(
                        "the loss was told",
                        () -> events.stream()
                                .anyMatch(event -> event instanceof TenureEvent.Lost lost
                                        && lost.term().equals(first.leadership().term())
                                        && lost.loss() instanceof Loss.Expired));
        logbook().assertInOrder();
    }

    /** Asks for authority as fast as it can, and remembers when it was last there. */
    final class Sampler {
        private final Leadership leadership;
        private final CompletableFuture<Long> lastValid;
        private volatile boolean stopping;

        Sampler(Leadership leadership) {
            this.leadership = leadership;
            this.lastValid = Crew.start("contract-sampler", this::sample);
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
        Link link = new Link();
        Candidacy returning =
                lab().tenure("returning", link).elect(NAME).perform(logbook().duty("returning"));
        Logbook.Entry first = lab().awaitRunning();
        Candidacy other = lab().tenure("other").elect(NAME).perform(logbook().duty("other"));
        link.become(State.CUT);
        Logbook.Entry second = lab().awaitAfter(first);

        link.become(State.UP);
        other.close();
        Logbook.Entry third = lab().awaitAfter(second);

        assertThat(third.by()).isEqualTo("returning");
        assertThat(returning.isLeading()).isTrue();
        logbook().assertInOrder();
    }

    @Test
    default void a_zombie_is_refused_by_the_fence_from_the_moment_its_successor_leads() {
        Link link = new Link();
        InMemoryFence ledger = new InMemoryFence("ledger");
        lab().tenure("zombie", link)
                .elect(NAME)
                .fencedBy(ledger)
                .perform(logbook().duty("zombie"));
        Logbook.Entry zombie = lab().awaitRunning();
        lab().tenure("next").elect(NAME).fencedBy(ledger).perform(logbook().duty("next"));

        link.become(State.CUT);
        Logbook.Entry next = lab().awaitAfter(zombie);

        assertThatThrownBy(() -> ledger.write(zombie.leadership().term(), () -> {}))
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        stale -> assertThat(stale.seen()).isEqualTo(next.token()));
        assertThat(ledger.accepted()).isEmpty();
    }

    @Test
    default void a_renewal_whose_answer_is_lost_costs_nothing() {
        Link link = new Link();
        lab().tenure("a", link).elect(NAME).perform(logbook().duty("a"));
        Logbook.Entry term = lab().awaitRunning();

        link.loseNextAnswerTo(Verb.RENEW);
        lab().patience().until("an answer was lost", () -> !link.lost().isEmpty());
        lab().patience().untilPassed(Scale.of(lab().ttl(), 1.2));

        assertThat(logbook().entries()).containsExactly(term);
        assertThat(term.leadership().isActive()).isTrue();
    }

    @Test
    default void a_claim_whose_answer_is_lost_is_not_led_and_the_next_one_has_a_higher_token() {
        Link link = new Link();
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure tenure = lab().tenure("a", link);
        tenure.onEvent(events::add);
        link.loseNextAnswerTo(Verb.CLAIM);

        tenure.elect(NAME).perform(logbook().duty("a"));
        Logbook.Entry term = lab().awaitRunning();

        ClaimReply.Granted unknown = link.lost().stream()
                .filter(ClaimReply.Granted.class::isInstance)
                .map(ClaimReply.Granted.class::cast)
                .findFirst()
                .orElseThrow();
        assertThat(term.token()).isGreaterThan(unknown.token());
        assertThat(logbook().entries()).hasSize(1);
        assertThat(events)
                .noneMatch(event -> event instanceof TenureEvent.Elected elected
                        && elected.term().token().equals(unknown.token()));
    }

    @Test
    default void a_candidate_that_is_closed_over_an_unknown_claim_leaves_nothing_behind() {
        Link link = new Link();
        Candidacy candidacy;
        link.loseNextAnswerTo(Verb.CLAIM);
        candidacy = lab().tenure("a", link).elect(NAME).perform(logbook().duty("a"));
        lab().patience().until("the answer was lost", () -> !link.lost().isEmpty());

        candidacy.close();

        assertThat(lab().client().read(ELECTION).leader()).isEmpty();
        assertThat(logbook().entries()).isEmpty();
        lab().client().open().take(ELECTION);
    }

    @Test
    default void a_release_whose_answer_is_lost_is_settled_and_the_next_leader_is_not_disturbed() {
        Link link = new Link();
        Candidacy leaving =
                lab().tenure("leaving", link).elect(NAME).perform(logbook().duty("leaving"));
        Logbook.Entry first = lab().awaitRunning();
        lab().tenure("next").elect(NAME).perform(logbook().duty("next"));
        link.loseNextAnswerTo(Verb.RELEASE);

        leaving.close();
        Logbook.Entry second = lab().awaitAfter(first);
        Loss loss = lab().patience().reply(leaving.retired());
        lab().patience().untilPassed(Scale.of(lab().ttl(), 0.6));

        assertThat(loss).isEqualTo(new Loss.Closed());
        assertThat(logbook().running()).isEqualTo(Optional.of(second));
        assertThat(second.leadership().isActive()).isTrue();
        logbook().assertInOrder();
    }

    @Test
    default void a_client_whose_store_never_answers_can_be_closed() {
        Link link = new Link();
        Tenure tenure = lab().tenure("a", link);
        tenure.elect(NAME).perform(logbook().duty("a"));
        lab().awaitRunning();
        link.become(State.CUT);

        CompletableFuture<Boolean> closed = Crew.start("contract-closer", () -> {
            tenure.close();
            return true;
        });

        assertThat(lab().patience().reply(closed)).isTrue();
        assertThat(logbook().running()).isEmpty();
    }
}
