// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Fences are raised after the grant and before anything of the term can be seen or done. */
class FencesFirstTest {
    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final Tenure tenure = scene.client("a");

    @Test
    void fences_are_raised_in_order_to_the_granted_term_before_leading_is_published() {
        List<String> order = new ArrayList<>();
        AtomicReference<Candidacy> candidacy = new AtomicReference<>();
        List<Term> raised = new ArrayList<>();
        Fence first = term -> {
            order.add("first sees " + candidacy.get().standing().getClass().getSimpleName());
            raised.add(term);
        };
        Fence second = term -> order.add("second");
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.Elected) {
                order.add("elected");
            }
        });

        candidacy.set(tenure.elect("x").fencedBy(first).fencedBy(second).perform(leadership -> {
            order.add("duty");
            raised.add(leadership.term());
            leadership.rest(Duration.ofHours(1));
        }));
        host.settle();

        assertThat(order).startsWith("first sees Standby", "second").contains("elected", "duty");
        assertThat(raised).hasSize(2);
        assertThat(raised.get(0)).isEqualTo(raised.get(1));
        assertThat(candidacy.get().isLeading()).isTrue();
    }

    @Test
    void a_fence_that_fails_costs_the_claim_and_the_candidacy_stands_again() {
        AtomicInteger raises = new AtomicInteger();
        Fence failing = term -> {
            if (raises.incrementAndGet() == 1) {
                throw new java.io.IOException("the ledger is down");
            }
        };
        Candidacy candidacy = tenure.elect("x")
                .coolDown(Duration.ofSeconds(3))
                .fencedBy(failing)
                .perform(untilLost());
        host.advance(Duration.ofSeconds(1));

        assertThat(candidacy.isLeading()).isFalse();
        assertThat(scene.events(TenureEvent.Elected.class)).isEmpty();
        assertThat(scene.store.peek("c/x").value()).contains("state=VACANT");
        assertThat(scene.events(TenureEvent.ClaimAbandoned.class).get(0).why()).contains("the ledger is down");
        host.advance(Duration.ofSeconds(3));
        assertThat(candidacy.isLeading()).isTrue();
    }

    @Test
    void a_fence_may_throw_whatever_it_likes() {
        Candidacy candidacy = tenure.elect("x")
                .fencedBy(term -> {
                    throw new LinkageError("driver");
                })
                .perform(untilLost());
        host.advance(Duration.ofSeconds(1));

        assertThat(candidacy.isLeading()).isFalse();
        assertThat(scene.events(TenureEvent.ClaimAbandoned.class)).hasSize(1);
        assertThat(host.failures()).isEmpty();
    }

    @Test
    void a_fence_that_has_seen_a_newer_token_lifts_the_next_one_above_it() {
        FencingToken seen = new FencingToken(host.wallMillis() + 100_000);
        List<FencingToken> raised = new ArrayList<>();
        Fence fence = term -> {
            raised.add(term.token());
            if (!term.token().isNewerThan(seen)) {
                throw new StaleTokenException("ledger", term, seen);
            }
        };
        Candidacy candidacy = tenure.elect("x")
                .coolDown(Duration.ofSeconds(1))
                .fencedBy(fence)
                .perform(untilLost());

        host.advance(Duration.ofSeconds(5));

        assertThat(raised).hasSize(2);
        assertThat(candidacy.term().orElseThrow().token()).isEqualTo(new FencingToken(seen.value() + 1));
    }

    @Test
    void a_hostile_fence_cannot_burn_the_space_of_tokens() {
        Fence hostile = term -> {
            throw new StaleTokenException("ledger", term, new FencingToken(Long.MAX_VALUE));
        };
        tenure.elect("x").coolDown(Duration.ofSeconds(1)).fencedBy(hostile).perform(untilLost());

        host.advance(Duration.ofMinutes(2));

        long aheadMillis =
                scene.store.issued().stream().mapToLong(Long::longValue).max().orElseThrow() - host.wallMillis();
        assertThat(scene.store.issued().size()).isBetween(2, 1000);
        assertThat(aheadMillis).isLessThan(Duration.ofDays(2).toMillis());
        assertThat(scene.store.peek("e").value()).contains("era=0");
    }

    @Test
    void a_fence_that_hangs_costs_the_claim_after_a_ttl_and_no_other_election() {
        Candidacy hanging = tenure.elect("x")
                .fencedBy(term -> host.signal().await(Duration.ofDays(1).toNanos()))
                .perform(untilLost());
        Candidacy other = tenure.elect("y").perform(untilLost());
        host.advance(Scene.TTL.plusSeconds(1));

        assertThat(hanging.isLeading()).isFalse();
        assertThat(other.isLeading()).isTrue();
        assertThat(scene.events(TenureEvent.ClaimAbandoned.class).get(0).why()).contains("in time");
    }

    @Test
    void a_term_that_a_resource_refuses_is_invalid_at_once_and_ends_as_fenced() {
        AtomicReference<Leadership> led = new AtomicReference<>();
        tenure.elect("x").perform(leadership -> {
            led.compareAndSet(null, leadership);
            untilLost().perform(leadership);
        });
        host.settle();
        FencingToken newer = new FencingToken(led.get().token().value() + 10);

        led.get().fenced(newer);

        assertThat(led.get().isValid()).isFalse();
        host.advance(Duration.ofSeconds(2));
        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss()).isEqualTo(new Loss.Fenced(newer));
        assertThat(scene.events(TenureEvent.Elected.class).get(1).term().token().isNewerThan(newer))
                .isTrue();
    }

    @Test
    void a_refusal_during_an_orderly_drain_ends_validity_as_well() {
        AtomicReference<Leadership> led = new AtomicReference<>();
        Candidacy candidacy = tenure.elect("x").perform(leadership -> {
            led.set(leadership);
            host.signal().await(Duration.ofHours(1).toNanos());
        });
        host.settle();
        candidacy.resign("deploy");
        host.settle();
        assertThat(led.get().isValid()).isTrue();

        led.get().fenced(new FencingToken(Long.MAX_VALUE / 2));
        host.settle();

        assertThat(led.get().isValid()).isFalse();
    }
}
