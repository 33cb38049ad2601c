// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static dev.tenure.internal.engine.Stage.DRAIN;
import static dev.tenure.internal.engine.Stage.MILLI;
import static dev.tenure.internal.engine.Stage.NONCE;
import static dev.tenure.internal.engine.Stage.NOW;
import static dev.tenure.internal.engine.Stage.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.internal.engine.ElectionState.BackOff;
import dev.tenure.internal.engine.ElectionState.ClaimAttempts;
import dev.tenure.internal.engine.ElectionState.Claiming;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.OutcomeUnknown;
import dev.tenure.internal.engine.ElectionState.RaisingFences;
import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Retired;
import dev.tenure.internal.engine.ElectionState.Waiting;
import dev.tenure.spi.ClaimReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What the machine does before a term begins, told as stories. */
class ElectionMachineTest extends ElectionStory {
    @Test
    void a_term_begins_after_the_grant_and_the_fences() {
        ElectionEffect.SendClaim claim = claim();
        grant(claim, 42);
        assertThat(state).isInstanceOf(RaisingFences.class);
        ElectionEffect.RaiseFences raise = effect(ElectionEffect.RaiseFences.class);
        assertThat(raise.term().nonce()).isEqualTo(claim.nonce());
        assertThat(raise.term().token()).isEqualTo(new FencingToken(42));
        assertThat(machine.expects(state, raise.attempt())).isTrue();

        on(new ElectionEvent.FencesRaised());

        assertThat(state).isInstanceOf(Leading.class);
        assertThat(effects).containsExactly(new ElectionEffect.StartDuty(raise.term()));
    }

    @Test
    void without_fences_a_term_begins_with_the_grant() {
        stand(Stage.rules(false, false, false));

        grant(claim(), 42);

        assertThat(state).isInstanceOf(Leading.class);
        assertThat(effects).hasSize(1).first().isInstanceOf(ElectionEffect.StartDuty.class);
    }

    @Test
    void nothing_is_claimed_without_a_session() {
        session = Optional.empty();

        on(new ElectionEvent.Tick());
        assertThat(state).isEqualTo(new BackOff(NOW, ClaimAttempts.NONE));
        assertThat(machine.nextWake(state, context())).isEmpty();
        session = Optional.of("s1");
        on(new ElectionEvent.SessionOpened());

        assertThat(state).isEqualTo(new Ready(ClaimAttempts.NONE));
    }

    @Test
    void every_claim_has_a_nonce_and_an_attempt_of_its_own() {
        ElectionEffect.SendClaim first = claim();
        on(new ElectionEvent.ClaimFailed(true));
        now += 60 * SECOND;
        sessionSent = now;
        ElectionEffect.SendClaim second = claim();

        assertThat(second.nonce()).isNotEqualTo(first.nonce());
        assertThat(second.attempt()).isNotEqualTo(first.attempt());
        assertThat(machine.expects(state, first.attempt())).isFalse();
        assertThat(machine.expects(state, second.attempt())).isTrue();
    }

    @Test
    void a_claim_without_answer_is_unknown_after_the_timeout_and_not_before() {
        claim();
        assertThat(machine.nextWake(state, context())).isEqualTo(OptionalLong.of(now + 1500 * MILLI));
        now += 1500 * MILLI - 1;
        on(new ElectionEvent.Tick());
        assertThat(state).isInstanceOf(Claiming.class);
        now += 1;

        on(new ElectionEvent.Tick());

        assertThat(state).isInstanceOf(OutcomeUnknown.class);
    }

    @Test
    void an_unknown_claim_that_is_closed_is_settled_by_a_release_of_its_nonce() {
        ElectionEffect.SendClaim claim = claim();
        on(new ElectionEvent.ClaimFailed(true));

        on(new ElectionEvent.EndWanted(new Loss.Closed()));

        assertThat(effect(ElectionEffect.SendRelease.class).nonce()).isEqualTo(claim.nonce());
        assertThat(state).isInstanceOf(Releasing.class);
        on(new ElectionEvent.Released());
        assertThat(state).isEqualTo(new Retired(new Loss.Closed()));
    }

    @Test
    void an_unknown_claim_is_not_forgotten_while_its_candidacy_waits_for_its_turn() {
        claim();
        on(new ElectionEvent.ClaimFailed(true));
        now += 60 * SECOND;
        sessionSent = now;
        on(new ElectionEvent.Tick());
        assertThat(state).isInstanceOf(Ready.class);

        on(new ElectionEvent.EndWanted(new Loss.Closed()));

        assertThat(effects)
                .as("the first claim may stand in the store")
                .anyMatch(ElectionEffect.SendRelease.class::isInstance);
    }

    @Test
    void an_unknown_claim_is_not_forgotten_when_the_next_one_surely_failed() {
        claim();
        on(new ElectionEvent.ClaimFailed(true));
        now += 60 * SECOND;
        sessionSent = now;
        claim();
        on(new ElectionEvent.ClaimFailed(false));

        on(new ElectionEvent.EndWanted(new Loss.Closed()));

        assertThat(effects)
                .as("the first claim may stand in the store")
                .anyMatch(ElectionEffect.SendRelease.class::isInstance);
    }

    @Test
    void a_claim_that_surely_failed_leaves_nothing_to_release() {
        claim();
        on(new ElectionEvent.ClaimFailed(false));

        on(new ElectionEvent.EndWanted(new Loss.Closed()));

        assertThat(effects).containsExactly(new ElectionEffect.Retire(new Loss.Closed()));
    }

    @Test
    void retries_are_spread_and_slow_down_up_to_a_bound() {
        List<Long> pausesMillis = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            claim();
            on(new ElectionEvent.ClaimFailed(false));
            pausesMillis.add((((BackOff) state).untilNanos() - now) / MILLI);
            now = ((BackOff) state).untilNanos();
            sessionSent = now;
        }
        numbers.jitterNanos = 77 * MILLI;
        claim();
        on(new ElectionEvent.ClaimFailed(false));

        assertThat(pausesMillis).containsExactly(500L, 1000L, 2000L, 4000L, 4000L, 4000L);
        assertThat((((BackOff) state).untilNanos() - now) / MILLI).isEqualTo(4077);
    }

    @Test
    void a_place_in_a_queue_is_kept_under_its_nonce() {
        ElectionEffect.SendClaim first = claim();
        on(new ElectionEvent.MustWait(true));
        assertThat(state).isEqualTo(new Waiting(Optional.of(first.nonce())));
        assertThat(machine.expects(state, first.nonce())).isTrue();
        assertThat(machine.expects(state, new Nonce(1, 1))).isFalse();

        on(new ElectionEvent.Poll());
        on(new ElectionEvent.Admitted());

        assertThat(effect(ElectionEffect.SendClaim.class).nonce()).isEqualTo(first.nonce());
    }

    @Test
    void a_pushed_grant_of_its_own_place_begins_a_term() {
        ElectionEffect.SendClaim claim = claim();
        on(new ElectionEvent.MustWait(true));

        on(Stage.granted(43, claim.nonce(), 42));

        assertThat(effect(ElectionEffect.RaiseFences.class).term().token()).isEqualTo(new FencingToken(43));
    }

    @Test
    void a_token_at_or_below_the_floor_is_not_led_but_released_and_reported() {
        ElectionEffect.SendClaim claim = claim();

        on(Stage.granted(42, claim.nonce(), 42));

        assertThat(effect(ElectionEffect.ReportBelowFloor.class).floor()).isEqualTo(42);
        assertThat(effect(ElectionEffect.SendRelease.class).nonce()).isEqualTo(claim.nonce());
        on(new ElectionEvent.Released());
        assertThat(state).isInstanceOf(BackOff.class);
    }

    @Test
    void after_a_token_below_the_floor_it_asks_again_soon_because_the_era_is_being_raised() {
        ElectionEffect.SendClaim claim = claim();
        on(Stage.granted(42, claim.nonce(), 42));

        on(new ElectionEvent.Released());

        assertThat(((BackOff) state).untilNanos() - now).isBetween(SECOND / 2, SECOND);
    }

    @Test
    void where_the_floor_is_out_of_reach_it_asks_again_once_or_twice_in_a_ttl() {
        ElectionEffect.SendClaim claim = claim();
        on(new ElectionEvent.Granted(Stage.granted(42, claim.nonce(), 42).grant(), 42, false));

        on(new ElectionEvent.Released());

        assertThat(((BackOff) state).untilNanos() - now).isBetween(5 * SECOND, 10 * SECOND);
    }

    @Test
    void a_token_above_a_floor_that_would_be_out_of_reach_is_led() {
        stand(Stage.rules(false, false, false));
        ElectionEffect.SendClaim claim = claim();

        on(new ElectionEvent.Granted(Stage.granted(43, claim.nonce(), 42).grant(), 42, false));

        assertThat(state).isInstanceOf(Leading.class);
    }

    @Test
    void a_term_with_too_little_time_left_waits_for_the_next_renewal() {
        stand(Stage.rules(false, false, false));
        ElectionEffect.SendClaim claim = claim();
        now += 5250 * MILLI; // 3.5 s before the deadline: what a drain and a timeout take

        grant(claim, 42);
        assertThat(state).isInstanceOf(RaisingFences.class);
        sessionSent = now;
        on(new ElectionEvent.Tick());

        assertThat(state).isInstanceOf(Leading.class);
    }

    @Test
    void a_term_with_just_enough_time_left_begins() {
        stand(Stage.rules(false, false, false));
        ElectionEffect.SendClaim claim = claim();
        now += 5250 * MILLI - 1;

        grant(claim, 42);

        assertThat(state).isInstanceOf(Leading.class);
    }

    @Test
    void with_standoff_a_takeover_waits_until_its_predecessor_has_surely_stopped() {
        stand(Stage.rules(false, false, true));
        ElectionEffect.SendClaim claim = claim();
        on(new ElectionEvent.Granted(
                new ClaimReply.Granted(new FencingToken(42), claim.nonce(), true, Duration.ofSeconds(10)), 0));
        assertThat(state).isInstanceOf(RaisingFences.class);
        assertThat(machine.nextWake(state, context())).isEqualTo(OptionalLong.of(now + 10 * SECOND));
        now += 10 * SECOND - 1;
        sessionSent = now;
        on(new ElectionEvent.Tick());
        assertThat(state).isInstanceOf(RaisingFences.class);
        now += 1;

        on(new ElectionEvent.Tick());

        assertThat(state).isInstanceOf(Leading.class);
    }

    @Test
    void without_standoff_a_takeover_begins_at_once() {
        stand(Stage.rules(false, false, false));
        ElectionEffect.SendClaim claim = claim();

        on(new ElectionEvent.Granted(
                new ClaimReply.Granted(new FencingToken(42), claim.nonce(), true, Duration.ofSeconds(10)), 0));

        assertThat(state).isInstanceOf(Leading.class);
    }

    @Test
    void fences_that_do_not_answer_within_a_ttl_cost_the_claim() {
        grant(claim(), 42);
        assertThat(machine.nextWake(state, context())).isEqualTo(OptionalLong.of(now + 10 * SECOND));
        now += 10 * SECOND;
        sessionSent = now;

        on(new ElectionEvent.Tick());

        assertThat(effect(ElectionEffect.Abandon.class).why()).contains("in time");
        on(new ElectionEvent.Released());
        assertThat(((BackOff) state).untilNanos()).isEqualTo(now + Stage.COOL_DOWN);
    }

    @Test
    void a_fence_that_refuses_costs_the_claim_and_a_cool_down() {
        grant(claim(), 42);

        on(new ElectionEvent.FenceFailed("stale"));

        assertThat(effect(ElectionEffect.Abandon.class).why()).isEqualTo("stale");
        on(new ElectionEvent.Released());
        assertThat(((BackOff) state).untilNanos()).isEqualTo(now + Stage.COOL_DOWN);
    }

    @Test
    void the_answer_of_fences_that_were_given_up_is_not_expected_any_more() {
        grant(claim(), 42);
        long attempt = effect(ElectionEffect.RaiseFences.class).attempt();
        session = Optional.empty();

        on(new ElectionEvent.SessionLost("s1", new Loss.Expired()));

        assertThat(machine.expects(state, attempt)).isFalse();
        assertThat(state).isEqualTo(new BackOff(now, ClaimAttempts.NONE));
    }

    @Test
    void closing_without_a_session_needs_no_release() {
        for (ElectionState before : List.of(
                new Claiming(7, NONCE, now, ClaimAttempts.NONE, false),
                new OutcomeUnknown(NONCE, now, ClaimAttempts.NONE.unknown(NONCE)),
                new Waiting(Optional.of(NONCE)),
                new Ready(ClaimAttempts.at(Optional.of(NONCE))))) {
            state = before;
            session = Optional.empty();

            on(new ElectionEvent.EndWanted(new Loss.Closed()));

            assertThat(state).isEqualTo(new Retired(new Loss.Closed()));
            assertThat(effects).containsExactly(new ElectionEffect.Retire(new Loss.Closed()));
        }
    }

    @Test
    void a_failed_call_does_not_cost_the_place_in_the_queue() {
        for (boolean unknown : List.of(true, false)) {
            Nonce place = queued();
            on(new ElectionEvent.Poll());
            on(new ElectionEvent.Admitted());

            on(new ElectionEvent.ClaimFailed(unknown));
            assertThat(machine.expects(state, place)).isTrue();
            assertThat(machine.expects(state, new Nonce(1, 1))).isFalse();
            now += 60 * SECOND;
            sessionSent = now;
            on(new ElectionEvent.Tick());
            assertThat(machine.expects(state, place)).isTrue();
            on(new ElectionEvent.Admitted());

            assertThat(effect(ElectionEffect.SendClaim.class).nonce()).isEqualTo(place);
        }
    }

    @Test
    void a_place_whose_poll_failed_is_given_back_on_close() {
        for (boolean unknown : List.of(true, false)) {
            Nonce place = queued();
            on(new ElectionEvent.Poll());
            on(new ElectionEvent.Admitted());
            on(new ElectionEvent.ClaimFailed(unknown));

            on(new ElectionEvent.EndWanted(new Loss.Closed()));

            assertThat(effect(ElectionEffect.SendRelease.class).nonce()).isEqualTo(place);
        }
    }

    @Test
    void a_place_is_gone_with_the_session() {
        queued();
        on(new ElectionEvent.Poll());
        on(new ElectionEvent.Admitted());
        on(new ElectionEvent.ClaimFailed(false));
        session = Optional.empty();

        on(new ElectionEvent.SessionLost("s1", new Loss.Expired()));
        session = Optional.of("s2");
        on(new ElectionEvent.EndWanted(new Loss.Closed()));

        assertThat(effects).containsExactly(new ElectionEffect.Retire(new Loss.Closed()));
    }

    private Nonce queued() {
        state = machine.initial(now);
        Nonce place = claim().nonce();
        on(new ElectionEvent.MustWait(true));
        return place;
    }

    @Test
    void each_state_that_waits_for_time_says_when() {
        StepContext context = Stage.context();
        assertThat(machine.nextWake(new BackOff(NOW + 5, ClaimAttempts.NONE), context))
                .hasValue(NOW + 5);
        assertThat(machine.nextWake(new BackOff(NOW - 5, ClaimAttempts.NONE), context))
                .hasValue(NOW - 5);
        assertThat(machine.nextWake(new BackOff(NOW + 5, ClaimAttempts.NONE), Stage.noSession(NOW)))
                .hasValue(NOW + 5);
        assertThat(machine.nextWake(new OutcomeUnknown(NONCE, NOW + 7, ClaimAttempts.NONE), context))
                .hasValue(NOW + 7);
        assertThat(machine.nextWake(new Ready(ClaimAttempts.NONE), context)).isEmpty();
        assertThat(machine.nextWake(new Leading(Stage.GRANT), context)).isEmpty();
        assertThat(machine.nextWake(new Retired(new Loss.Closed()), context)).isEmpty();
        assertThat(machine.nextWake(new RaisingFences(Stage.GRANT, 1, true, NOW - 1, NOW + DRAIN), context))
                .hasValue(NOW + DRAIN);
    }
}
