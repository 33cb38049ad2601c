// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Loss;
import dev.tenure.internal.engine.SessionMachine.SessionEffect;
import dev.tenure.internal.engine.SessionMachine.SessionEvent;
import dev.tenure.internal.engine.SessionState.Beat;
import dev.tenure.internal.engine.SessionState.Open;
import dev.tenure.internal.engine.SessionState.Opening;
import dev.tenure.internal.engine.SessionState.Pausing;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SessionMachineTest {
    private static final long MILLI = 1_000_000L;
    private static final long T0 = 1_000_000 * MILLI;
    private static final long WALL = 1_700_000_000_000L;
    private static final Timing TIMING = Timing.of(Duration.ofSeconds(10));

    private final Numbers numbers = new Numbers();
    private final SessionMachine machine = new SessionMachine(TIMING, 5_000 * MILLI, numbers);
    private SessionState state = new SessionState.Idle();
    private List<SessionEffect> effects = List.of();

    private void on(SessionEvent event, long afterMillis) {
        Transition<SessionState, SessionEffect> transition =
                machine.on(state, event, T0 + afterMillis * MILLI, WALL + afterMillis);
        state = transition.state();
        effects = transition.effects();
    }

    private long lastAttempt() {
        if (state instanceof Opening opening) {
            return opening.attempt();
        }
        return ((Beat.Sent) ((Open) state).beat()).attempt();
    }

    private void openAt(long sentMillis, long replyMillis) {
        on(new SessionEvent.Wanted(), sentMillis);
        on(new SessionEvent.Opened(lastAttempt(), "s1", TIMING), replyMillis);
    }

    private void holdClaimAt(long sentMillis, long replyMillis) {
        openAt(sentMillis, replyMillis);
        on(new SessionEvent.ClaimGranted(), replyMillis);
    }

    private void openAgain() {
        state = new SessionState.Idle();
        openAt(0, 10);
    }

    private long validUntilMillis() {
        return (((Open) state).validUntilNanos() - T0) / MILLI;
    }

    @Test
    void the_first_deadline_counts_from_the_sending_of_the_opening() {
        openAt(0, 1400);

        assertThat(validUntilMillis()).isEqualTo(8750);
        assertThat(effects).containsExactly(new SessionEffect.Publish((Open) state, true));
    }

    @Test
    void a_session_that_holds_no_claim_renews_after_two_fifths_of_its_ttl() {
        openAt(0, 10);
        assertThat(machine.nextWake(state)).hasValue(T0 + 4000 * MILLI);
        on(new SessionEvent.Tick(), 4000);

        on(new SessionEvent.Renewed(lastAttempt(), TIMING, false), 4010);

        assertThat(machine.nextWake(state)).hasValue(T0 + 8000 * MILLI);
    }

    @Test
    void a_grant_sends_a_renewal_at_once_if_the_last_one_is_older_than_a_holder_s_would_be() {
        openAt(0, 10);

        on(new SessionEvent.ClaimGranted(), 2499);
        assertThat(effects).isEmpty();
        assertThat(machine.nextWake(state)).hasValue(T0 + 2500 * MILLI);

        openAgain();
        on(new SessionEvent.ClaimGranted(), 3900);
        assertThat(effects).containsExactly(new SessionEffect.SendRenew(lastAttempt()));
    }

    @Test
    void a_grant_in_doubt_does_not_change_the_pace_of_retries() {
        openAt(0, 10);
        on(new SessionEvent.Tick(), 4000);
        on(new SessionEvent.RenewFailed(lastAttempt(), "refused"), 4100);
        SessionState doubtful = state;

        on(new SessionEvent.ClaimGranted(), 4200);

        assertThat(state).isEqualTo(doubtful);
        assertThat(effects).isEmpty();
    }

    @Test
    void the_deadline_of_a_renewal_counts_from_its_sending_and_not_from_its_reply() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 2500);
        on(new SessionEvent.Renewed(lastAttempt(), TIMING, true), 3900);

        assertThat(validUntilMillis()).isEqualTo(2500 + 8750);
        assertThat(((Open) state).authority().originNanos()).isEqualTo(T0 + 2500 * MILLI);
        assertThat(((Open) state).authority().originWallMillis()).isEqualTo(WALL + 2500);
    }

    @Test
    void a_retried_renewal_counts_from_its_own_sending() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 2500);
        on(new SessionEvent.Tick(), 4000);
        assertThat(effects)
                .containsExactly(new SessionEffect.RenewalFailed("the store did not answer a renewal in time"));
        on(new SessionEvent.Tick(), 4500);
        on(new SessionEvent.Renewed(lastAttempt(), TIMING, true), 4600);

        assertThat(validUntilMillis()).isEqualTo(4500 + 8750);
    }

    @Test
    void the_reply_to_a_renewal_that_was_given_up_is_not_expected_any_more() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 2500);
        long first = lastAttempt();
        on(new SessionEvent.Tick(), 4000);
        assertThat(machine.expects(state, first)).isFalse();
        on(new SessionEvent.Tick(), 4500);

        assertThat(machine.expects(state, first)).isFalse();
        assertThat(machine.expects(state, lastAttempt())).isTrue();
    }

    @Test
    void an_acknowledgement_after_the_deadline_does_not_resurrect_the_session() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 8700);
        long attempt = lastAttempt();

        on(new SessionEvent.Renewed(attempt, TIMING, true), 8750);

        assertThat(state).isInstanceOf(Opening.class);
        assertThat(effects.get(0))
                .isEqualTo(new SessionEffect.Lose(
                        "s1", new Loss.Expired(), "no renewal was acknowledged before the deadline"));
        assertThat(effects.get(1)).isInstanceOf(SessionEffect.SendOpen.class);
    }

    @Test
    void an_acknowledgement_just_before_the_deadline_keeps_the_session() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 8700);

        on(new SessionEvent.Renewed(lastAttempt(), TIMING, true), 8749);

        assertThat(validUntilMillis()).isEqualTo(8700 + 8750);
    }

    @Test
    void doubt_changes_the_pace_and_not_the_deadline() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 2500);
        on(new SessionEvent.RenewFailed(lastAttempt(), "no"), 2600);

        assertThat(((Open) state).inDoubt()).isTrue();
        assertThat(validUntilMillis()).isEqualTo(8750);
        assertThat(machine.nextWake(state)).isEqualTo(OptionalLong.of(T0 + 3100 * MILLI));
    }

    @Test
    void an_acknowledgement_after_doubt_is_a_relief_once() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 2500);
        on(new SessionEvent.RenewFailed(lastAttempt(), "no"), 2600);
        on(new SessionEvent.Tick(), 3100);
        on(new SessionEvent.Renewed(lastAttempt(), TIMING, true), 3200);
        assertThat(effects).hasSize(2).element(1).isEqualTo(new SessionEffect.RenewalRecovered());

        on(new SessionEvent.Tick(), 5600);
        on(new SessionEvent.Renewed(lastAttempt(), TIMING, true), 5700);

        assertThat(effects).containsExactly(new SessionEffect.Publish((Open) state, false));
    }

    @Test
    void the_next_renewal_is_due_a_quarter_of_the_ttl_after_the_last_was_sent() {
        holdClaimAt(0, 1000);
        assertThat(machine.nextWake(state)).isEqualTo(OptionalLong.of(T0 + 2500 * MILLI));
        on(new SessionEvent.Tick(), 2499);
        assertThat(effects).isEmpty();

        on(new SessionEvent.Tick(), 2500);

        assertThat(effects).containsExactly(new SessionEffect.SendRenew(lastAttempt()));
        assertThat(machine.nextWake(state)).isEqualTo(OptionalLong.of(T0 + 4000 * MILLI));
    }

    @Test
    void it_always_wakes_by_the_deadline() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 8000);

        assertThat(machine.nextWake(state)).isEqualTo(OptionalLong.of(T0 + 8750 * MILLI));
    }

    @Test
    void the_ttl_that_was_granted_counts_and_not_the_one_that_was_asked_for() {
        on(new SessionEvent.Wanted(), 0);
        Timing granted = Timing.of(Duration.ofSeconds(4));
        on(new SessionEvent.Opened(lastAttempt(), "s1", granted), 10);

        assertThat(validUntilMillis()).isEqualTo(3600 - 200);
        assertThat(machine.nextWake(state)).isEqualTo(OptionalLong.of(T0 + 1600 * MILLI));
    }

    @Test
    void a_renewal_may_change_the_ttl() {
        holdClaimAt(0, 10);
        on(new SessionEvent.Tick(), 2500);
        on(new SessionEvent.Renewed(lastAttempt(), Timing.of(Duration.ofSeconds(4)), true), 2600);

        assertThat(validUntilMillis()).isEqualTo(2500 + 3400);
        assertThat(((Open) state).timing().ttlNanos()).isEqualTo(4000 * MILLI);
    }

    @Test
    void a_session_that_took_too_long_to_open_is_not_used() {
        on(new SessionEvent.Wanted(), 0);
        on(new SessionEvent.Opened(lastAttempt(), "s1", TIMING), 8750);

        assertThat(state).isInstanceOf(Pausing.class);
        assertThat(effects).hasSize(1).first().isInstanceOf(SessionEffect.StoreError.class);
    }

    @Test
    void failed_openings_are_repeated_with_growing_pauses_up_to_a_bound() {
        long at = 0;
        long[] pauses = new long[8];
        on(new SessionEvent.Wanted(), at);
        for (int i = 0; i < pauses.length; i++) {
            on(new SessionEvent.OpenFailed(lastAttempt(), "down"), at);
            pauses[i] = (((Pausing) state).untilNanos() - T0) / MILLI - at;
            at += pauses[i];
            on(new SessionEvent.Tick(), at);
        }

        assertThat(pauses).containsExactly(500, 1000, 2000, 4000, 8000, 8000, 8000, 8000);
    }

    @Test
    void the_pause_before_opening_again_has_jitter() {
        numbers.jitterNanos = 123 * MILLI;
        on(new SessionEvent.Wanted(), 0);

        on(new SessionEvent.OpenFailed(lastAttempt(), "down"), 0);

        assertThat(((Pausing) state).untilNanos()).isEqualTo(T0 + 623 * MILLI);
    }

    @Test
    void a_lost_session_is_opened_anew_at_once_under_a_new_attempt() {
        holdClaimAt(0, 10);
        long before = 101;

        on(new SessionEvent.Gone("s1", "evicted"), 500);

        assertThat(effects.get(0)).isEqualTo(new SessionEffect.Lose("s1", new Loss.SessionLost("evicted"), "evicted"));
        assertThat(lastAttempt()).isNotEqualTo(before);
        assertThat(((Opening) state).sentNanos()).isEqualTo(T0 + 500 * MILLI);
    }

    @Test
    void an_opening_without_answer_is_given_up_after_its_timeout_and_its_late_answer_is_stale() {
        on(new SessionEvent.Wanted(), 0);
        long first = lastAttempt();
        on(new SessionEvent.Tick(), 4999);
        assertThat(state).isInstanceOf(Opening.class);
        on(new SessionEvent.Tick(), 5000);
        assertThat(state).isInstanceOf(Pausing.class);
        assertThat(machine.expects(state, first)).isFalse();

        on(new SessionEvent.Tick(), 5500);

        assertThat(machine.expects(state, first)).isFalse();
        assertThat(machine.expects(state, lastAttempt())).isTrue();
    }

    @Test
    void an_ended_session_asks_for_nothing_and_never_wakes() {
        holdClaimAt(0, 10);
        on(new SessionEvent.CloseWanted(), 20);

        assertThat(effects).isEmpty();
        assertThat(machine.nextWake(state)).isEmpty();
        assertThat(machine.expects(state, 101)).isFalse();
    }
}
