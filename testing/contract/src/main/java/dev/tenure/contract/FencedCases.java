// SPDX-License-Identifier: Apache-2.0
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
        Tenure tenure = fixture().tenure("a");
        tenure.onEvent(events::add);
        CompletableFuture<Candidacy> candidacy = new CompletableFuture<>();
        List<Standing> whileRaising = new CopyOnWriteArrayList<>();
        List<Term> raised = new CopyOnWriteArrayList<>();
        Fence fence = term -> {
            whileRaising.add(fixture().await().reply(candidacy).standing());
            assertThat(dutyLog().entries()).isEmpty();
            raised.add(term);
        };

        candidacy.complete(
                tenure.elect(NAME).fencedBy(fence, fence).perform(dutyLog().duty("a")));
        DutyLog.Entry term = fixture().awaitRunning();

        assertThat(raised)
                .containsExactly(term.leadership().term(), term.leadership().term());
        assertThat(whileRaising).containsOnly(new Standing.Standby());
        fixture()
                .await()
                .until("the election was told", () -> events.stream().anyMatch(TenureEvent.Elected.class::isInstance));
    }

    @Test
    default void a_term_that_a_fence_refuses_is_not_led_and_the_next_token_is_above_what_the_fence_has_seen() {
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure tenure = fixture().tenure("a");
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

        tenure.elect(NAME).coolDown(COOL_DOWN).fencedBy(fence).perform(dutyLog().duty("a"));
        DutyLog.Entry led = fixture().awaitRunning();

        assertThat(led.token()).isGreaterThan(seenAfter(refused.get(0)));
        assertThat(dutyLog().entries()).hasSize(1);
        fixture()
                .await()
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

        fixture()
                .tenure("a")
                .elect(NAME)
                .coolDown(COOL_DOWN)
                .fencedBy(fence)
                .perform(dutyLog().duty("a"));
        fixture().awaitRunning();

        assertThat(failures).hasValue(3);
        assertThat(dutyLog().entries()).hasSize(1);
    }

    @Test
    default void a_stale_token_in_a_duty_ends_the_term_as_fenced_and_the_next_one_is_above_it() {
        List<TenureEvent> events = new CopyOnWriteArrayList<>();
        Tenure tenure = fixture().tenure("a");
        tenure.onEvent(events::add);
        AtomicInteger runs = new AtomicInteger();
        tenure.elect(NAME).coolDown(COOL_DOWN).perform(dutyLog().duty("a", leadership -> {
            if (runs.incrementAndGet() == 1) {
                throw new StaleTokenException("ledger", leadership.term(), seenAfter(leadership.term()));
            }
            restWhileActive(leadership);
        }));

        fixture().await().until("it leads again", () -> runs.get() == 2);

        DutyLog.Entry first = dutyLog().entries().get(0);
        FencingToken seen = seenAfter(first.leadership().term());
        assertThat(dutyLog().latest().token()).isGreaterThan(seen);
        assertThat(first.leadership().isValid()).isFalse();
        fixture()
                .await()
                .until(
                        "the loss was told",
                        () -> events.contains(
                                new TenureEvent.Lost(first.leadership().term(), new Loss.Fenced(seen))));
    }

    @Test
    default void a_refused_write_withdraws_authority_at_once() {
        InMemoryFence ledger = new InMemoryFence("ledger");
        fixture()
                .tenure("a")
                .elect(NAME)
                .coolDown(COOL_DOWN)
                .fencedBy(ledger)
                .perform(dutyLog().duty("a"));
        DutyLog.Entry first = fixture().awaitRunning();
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
        assertThat(fixture().awaitAfter(first).token()).isGreaterThan(newer.token());
    }

    /** What a fence might have seen of a term that this store has forgotten. */
    private static FencingToken seenAfter(Term term) {
        return new FencingToken(term.token().value() + 1000);
    }
}
