package dev.tenure.contract;

import static dev.tenure.contract.DutyCases.restWhileActive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Candidacy;
import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.StaleTokenException;
import dev.tenure.Standing;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Fences: raised before anything is led, and believed when they refuse. */
interface FencedCases extends BackendCases {
    Duration COOL_DOWN = Duration.ofMillis(20);

    @Test
    default void every_fence_is_raised_before_the_term_is_led() throws Exception {
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure tenure = lab().tenure("a");
        tenure.onEvent(events::add);
        CompletableFuture<Candidacy> candidacy = new CompletableFuture<>();
        List<Standing> whileRaising = new CopyOnWriteArrayList<>();
        List<Term> raised = new CopyOnWriteArrayList<>();
        Fence fence = term -> {
            whileRaising.add(lab().patience().reply(candidacy).standing());
            assertThat(logbook().entries()).isEmpty();
            raised.add(term);
        };

        candidacy.complete(
                tenure.elect(NAME).fencedBy(fence, fence).perform(logbook().duty("a")));
        Logbook.Entry term = lab().awaitRunning();

        assertThat(raised)
                .containsExactly(term.leadership().term(), term.leadership().term());
        assertThat(whileRaising).containsOnly(new Standing.Standby());
        lab().patience()
                .until("the election was told", () -> events.stream().anyMatch(TenureEvent.Elected.class::isInstance));
    }

    @Test
    default void a_term_that_a_fence_refuses_is_not_led_and_the_next_token_is_above_what_the_fence_has_seen() {
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure tenure = lab().tenure("a");
        tenure.onEvent(events::add);
        List<Term> refused = new CopyOnWriteArrayList<>();
        Fence fence = term -> {
            if (refused.isEmpty()) {
                refused.add(term);
                throw new StaleTokenException("ledger", term, seenAfter(term));
            }
            if (!term.token().isNewerThan(seenAfter(refused.get(0)))) {
                throw new StaleTokenException("ledger", term, seenAfter(refused.get(0)));
            }
        };

        tenure.elect(NAME).coolDown(COOL_DOWN).fencedBy(fence).perform(logbook().duty("a"));
        Logbook.Entry led = lab().awaitRunning();

        assertThat(led.token()).isGreaterThan(seenAfter(refused.get(0)));
        assertThat(logbook().entries()).hasSize(1);
        lab().patience()
                .until(
                        "the refusal was told",
                        () -> events.stream()
                                .anyMatch(event -> event instanceof TenureEvent.ClaimAbandoned abandoned
                                        && abandoned.term().equals(refused.get(0))));
    }

    @Test
    default void a_fence_that_cannot_be_reached_means_that_the_term_is_not_led() {
        AtomicInteger failures = new AtomicInteger();
        Fence fence = term -> {
            if (failures.incrementAndGet() <= 2) {
                throw new java.io.IOException("the resource is down");
            }
        };

        lab().tenure("a")
                .elect(NAME)
                .coolDown(COOL_DOWN)
                .fencedBy(fence)
                .perform(logbook().duty("a"));
        lab().awaitRunning();

        assertThat(failures).hasValue(3);
        assertThat(logbook().entries()).hasSize(1);
    }

    @Test
    default void a_stale_token_in_a_duty_ends_the_term_as_fenced_and_the_next_one_is_above_it() {
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure tenure = lab().tenure("a");
        tenure.onEvent(events::add);
        AtomicInteger runs = new AtomicInteger();
        tenure.elect(NAME).coolDown(COOL_DOWN).perform(logbook().duty("a", leadership -> {
            if (runs.incrementAndGet() == 1) {
                throw new StaleTokenException("ledger", leadership.term(), seenAfter(leadership.term()));
            }
            restWhileActive(leadership);
        }));

        lab().patience().until("it leads again", () -> runs.get() == 2);

        Logbook.Entry first = logbook().entries().get(0);
        FencingToken seen = seenAfter(first.leadership().term());
        assertThat(logbook().latest().token()).isGreaterThan(seen);
        assertThat(first.leadership().isValid()).isFalse();
        lab().patience()
                .until(
                        "the loss was told",
                        () -> events.contains(
                                new TenureEvent.Lost(first.leadership().term(), new Loss.Fenced(seen))));
    }

    @Test
    default void a_refused_write_withdraws_authority_at_once() {
        InMemoryFence ledger = new InMemoryFence("ledger");
        lab().tenure("a")
                .elect(NAME)
                .coolDown(COOL_DOWN)
                .fencedBy(ledger)
                .perform(logbook().duty("a"));
        Logbook.Entry first = lab().awaitRunning();
        Term newer = new Term(
                ELECTION,
                seenAfter(first.leadership().term()),
                first.leadership().term().nonce(),
                "other");

        assertThat(first.leadership().isValid()).isTrue();
        assertThatThrownBy(() -> {
                    ledger.raise(newer);
                    ledger.write(first.leadership(), () -> {});
                })
                .isInstanceOf(StaleTokenException.class);

        assertThat(first.leadership().isValid()).isFalse();
        assertThat(lab().awaitAfter(first).token()).isGreaterThan(newer.token());
    }

    /** What a fence might have seen of a term that this store has forgotten. */
    private static FencingToken seenAfter(Term term) {
        return new FencingToken(term.token().value() + 1000);
    }
}
