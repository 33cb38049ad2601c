// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static dev.tenure.internal.engine.Stage.DRAIN;
import static dev.tenure.internal.engine.Stage.GRANT;
import static dev.tenure.internal.engine.Stage.MILLI;
import static dev.tenure.internal.engine.Stage.NONCE;
import static dev.tenure.internal.engine.Stage.NOW;
import static dev.tenure.internal.engine.Stage.SECOND;
import static dev.tenure.internal.engine.Stage.TERM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.OverduePolicy;
import dev.tenure.internal.engine.ElectionState.BackOff;
import dev.tenure.internal.engine.ElectionState.ClaimAttempts;
import dev.tenure.internal.engine.ElectionState.Draining;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.ReleasedEarly;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Retired;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How a term ends, told as stories. */
class ReleaseStepsTest {
    private final Numbers numbers = new Numbers();
    private ElectionMachine machine = new ElectionMachine(Stage.ELECTION, "node-1", Stage.rules(), numbers);
    private ElectionState state = new Leading(GRANT);
    private List<ElectionEffect> effects = List.of();
    private long now = NOW;
    private Optional<SessionState.Open> session = Optional.of(Stage.session("s1", NOW, SECOND));

    private void on(ElectionEvent event) {
        Transition<ElectionState, ElectionEffect> transition =
                machine.on(state, event, new StepContext(now, session, session.isPresent(), Stage.STAND_BACK));
        state = transition.state();
        effects = transition.effects();
    }

    private void lead(ElectionRules rules) {
        machine = new ElectionMachine(Stage.ELECTION, "node-1", rules, numbers);
        state = new Leading(GRANT);
    }

    private OptionalLong nextWake() {
        return machine.nextWake(state, new StepContext(now, session, session.isPresent(), Stage.STAND_BACK));
    }

    private long deadline() {
        return session.orElseThrow().validUntilNanos();
    }

    private void dutyEnds(Loss result) {
        on(new ElectionEvent.DutyEnded(result));
    }

    @Test
    void a_term_at_risk_drains_its_budget_before_the_deadline() {
        now = deadline() - DRAIN - 1;
        on(new ElectionEvent.Tick());
        assertThat(state).isInstanceOf(Leading.class);
        now += 1;

        on(new ElectionEvent.Tick());

        assertThat(effects).containsExactly(new ElectionEffect.StopDuty(new Loss.Expired(), false));
        assertThat(((Draining) state).drain().drainByNanos()).isEqualTo(deadline());
    }

    @Test
    void a_drain_asks_first_interrupts_at_half_and_shouts_at_the_end() {
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        assertThat(effects).containsExactly(new ElectionEffect.StopDuty(new Loss.Resigned("deploy"), false));
        assertThat(nextWake()).hasValue(NOW + DRAIN / 2);
        now = NOW + DRAIN / 2 - 1;
        on(new ElectionEvent.Tick());
        assertThat(effects).isEmpty();
        now = NOW + DRAIN / 2;
        on(new ElectionEvent.Tick());
        assertThat(effects).containsExactly(new ElectionEffect.InterruptDuty());
        assertThat(nextWake()).hasValue(NOW + DRAIN);
        now = NOW + DRAIN - 1;
        on(new ElectionEvent.Tick());
        assertThat(effects).isEmpty();
        now = NOW + DRAIN;

        on(new ElectionEvent.Tick());

        assertThat(effects).containsExactly(new ElectionEffect.ReportOverdue(TERM, new Loss.Resigned("deploy")));
    }

    @Test
    void an_overdue_drain_keeps_its_claim_and_shouts_once() {
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        now = NOW + DRAIN;
        on(new ElectionEvent.Tick());
        on(new ElectionEvent.Tick());
        assertThat(nextWake()).isEmpty();

        on(new ElectionEvent.Tick());

        assertThat(effects).isEmpty();
        assertThat(state).isInstanceOf(Draining.class);
    }

    @Test
    void an_overdue_drain_that_may_let_go_releases_and_still_waits_for_its_duty() {
        lead(Stage.rules(OverduePolicy.RELEASE));
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        now = NOW + DRAIN;
        on(new ElectionEvent.Tick());

        on(new ElectionEvent.Tick());

        assertThat(state).isInstanceOf(ReleasedEarly.class);
        assertThat(effects).hasSize(3);
        assertThat(effects.get(0)).isInstanceOf(ElectionEffect.ReportOverdue.class);
        assertThat(effects.get(1))
                .as("before the release is sent")
                .isEqualTo(new ElectionEffect.RevokeAuthority(new Loss.Resigned("deploy")));
        assertThat(((ElectionEffect.SendRelease) effects.get(2)).nonce()).isEqualTo(NONCE);
    }

    @Test
    void a_release_that_was_lost_while_the_duty_hangs_is_sent_again() {
        lead(Stage.rules(OverduePolicy.RELEASE));
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        now = NOW + DRAIN;
        on(new ElectionEvent.Tick());
        on(new ElectionEvent.Tick());
        OptionalLong wake = nextWake();
        assertThat(wake).as("something has to wake it to try again").isPresent();
        now = wake.getAsLong();
        session = Optional.of(Stage.session("s1", now, SECOND));

        on(new ElectionEvent.Tick());

        assertThat(effects).anyMatch(ElectionEffect.SendRelease.class::isInstance);
    }

    @Test
    void a_forsaken_claim_whose_session_is_closed_does_not_wake_itself_for_ever() {
        lead(Stage.rules(OverduePolicy.RELEASE));
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        now = NOW + DRAIN;
        on(new ElectionEvent.Tick());
        on(new ElectionEvent.Tick());
        session = Optional.empty(); // the client was closed, and nobody tells its elections
        now += 60 * SECOND;

        on(new ElectionEvent.Tick());

        assertThat(nextWake().orElse(now + 1)).isGreaterThan(now);
    }

    @Test
    void a_forsaken_claim_that_was_let_go_is_left_alone() {
        lead(Stage.rules(OverduePolicy.RELEASE));
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        now = NOW + DRAIN;
        on(new ElectionEvent.Tick());
        on(new ElectionEvent.Tick());
        long attempt = ((ElectionEffect.SendRelease) effects.get(2)).attempt();
        assertThat(machine.expects(state, attempt)).isTrue();

        on(new ElectionEvent.Released());

        assertThat(nextWake()).isEmpty();
        assertThat(machine.expects(state, attempt)).isFalse();
    }

    @Test
    void an_overdue_drain_that_shall_halt_halts_with_the_election_in_its_reason() {
        lead(Stage.rules(OverduePolicy.HALT));
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        now = NOW + DRAIN;
        on(new ElectionEvent.Tick());

        on(new ElectionEvent.Tick());

        assertThat(effects).hasSize(2);
        assertThat(((ElectionEffect.Halt) effects.get(1)).why()).contains("sweeper");
    }

    /** Nobody else can lead: it costs nothing to wait for as long as a thread may need to say that it has ended. */
    @Test
    void with_hardly_a_budget_a_duty_that_is_asked_to_end_has_the_margin_to_say_that_it_did() {
        for (ElectionRules rules : hardlyABudget()) {
            for (Loss loss : List.of(new Loss.Closed(), new Loss.Resigned("deploy"))) {
                lead(rules);
                now = NOW;
                on(new ElectionEvent.EndWanted(loss));
                assertThat(((Draining) state).drain().drainByNanos()).isEqualTo(NOW + Stage.TIMING.marginNanos());
                now = NOW + Stage.TIMING.marginNanos() - 1;
                on(new ElectionEvent.Tick());
                on(new ElectionEvent.Tick());
                assertThat(effects).as("%s, %s", rules, loss).isEmpty();

                dutyEnds(new Loss.Completed());

                assertThat(effects.get(0)).isEqualTo(new ElectionEffect.EndTerm(TERM, loss));
            }
        }
    }

    private static List<ElectionRules> hardlyABudget() {
        return Stream.of(OverduePolicy.values())
                .flatMap(overdue -> Stream.of(0L, MILLI).map(Stage.rules(overdue)::withDrain))
                .toList();
    }

    @Test
    void what_a_duty_without_a_budget_has_ends_with_the_deadline() {
        lead(Stage.rules(OverduePolicy.HALT).withDrain(0));
        now = deadline() - 1;

        on(new ElectionEvent.EndWanted(new Loss.Closed()));

        assertThat(((Draining) state).drain().drainByNanos()).isEqualTo(deadline());
    }

    @Test
    void without_a_budget_a_duty_that_has_lost_its_claim_is_overdue_at_once() {
        for (Loss loss : List.of(new Loss.Fenced(new FencingToken(43)), new Loss.Superseded("another"))) {
            lead(Stage.rules(OverduePolicy.HALT).withDrain(0));
            on(new ElectionEvent.EndWanted(loss));

            on(new ElectionEvent.Tick());

            assertThat(effects).anyMatch(ElectionEffect.Halt.class::isInstance);
        }
    }

    @Test
    void a_lost_session_interrupts_the_duty_at_once() {
        session = Optional.empty();

        on(new ElectionEvent.SessionLost("s1", new Loss.SessionLost("evicted")));

        assertThat(effects).containsExactly(new ElectionEffect.StopDuty(new Loss.SessionLost("evicted"), true));
        assertThat(nextWake()).hasValue(NOW + DRAIN);
    }

    @Test
    void a_term_that_drains_already_has_no_authority_once_its_claim_is_gone() {
        for (Loss gone : List.of(new Loss.Fenced(new FencingToken(43)), new Loss.Superseded("another"))) {
            lead(Stage.rules());
            on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));

            on(new ElectionEvent.EndWanted(gone));

            assertThat(effects)
                    .containsExactly(new ElectionEffect.RevokeAuthority(gone), new ElectionEffect.InterruptDuty());
            assertThat(((Draining) state).loss()).isEqualTo(new Loss.Resigned("deploy"));
            assertThat(nextWake()).as("it was interrupted already").hasValue(NOW + DRAIN);
            on(new ElectionEvent.EndWanted(gone));
            assertThat(effects).containsExactly(new ElectionEffect.RevokeAuthority(gone));
        }
    }

    @Test
    void a_fenced_or_superseded_term_interrupts_its_duty_at_once() {
        for (Loss loss : List.of(new Loss.Fenced(new FencingToken(43)), new Loss.Superseded("another"))) {
            state = new Leading(GRANT);

            on(new ElectionEvent.EndWanted(loss));

            assertThat(effects).containsExactly(new ElectionEffect.StopDuty(loss, true));
        }
    }

    @Test
    void the_claim_is_released_only_after_the_duty_has_ended() {
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        assertThat(effects).noneMatch(ElectionEffect.SendRelease.class::isInstance);

        dutyEnds(new Loss.Completed());

        assertThat(effects.get(0)).isEqualTo(new ElectionEffect.EndTerm(TERM, new Loss.Resigned("deploy")));
        assertThat(((ElectionEffect.SendRelease) effects.get(1)).nonce()).isEqualTo(NONCE);
    }

    @Test
    void a_duty_that_ends_after_its_session_has_nothing_to_release() {
        session = Optional.empty();
        on(new ElectionEvent.SessionLost("s1", new Loss.Expired()));
        session = Optional.of(Stage.session("s2", NOW, SECOND));
        on(new ElectionEvent.SessionOpened());

        dutyEnds(new Loss.Completed());

        assertThat(effects).containsExactly(new ElectionEffect.EndTerm(TERM, new Loss.Expired()));
        assertThat(state).isEqualTo(new BackOff(NOW + ReleaseSteps.RETRY_NANOS_MIN, ClaimAttempts.NONE));
    }

    @Test
    void a_completed_duty_retires_its_candidacy() {
        dutyEnds(new Loss.Completed());
        on(new ElectionEvent.Released());

        assertThat(state).isEqualTo(new Retired(new Loss.Completed()));
        assertThat(effects).containsExactly(new ElectionEffect.Retire(new Loss.Completed()));
    }

    @Test
    void a_duty_that_repeats_stands_again() {
        lead(Stage.rules(true, true, false));

        dutyEnds(new Loss.Completed());
        on(new ElectionEvent.Released());

        assertThat(state).isEqualTo(new BackOff(NOW + 100 * MILLI, ClaimAttempts.NONE));
    }

    @Test
    void a_failed_duty_stands_again_after_its_cool_down() {
        dutyEnds(new Loss.DutyFailed(new Exception("x")));
        on(new ElectionEvent.Released());

        assertThat(state).isEqualTo(new BackOff(NOW + Stage.COOL_DOWN, ClaimAttempts.NONE));
    }

    @Test
    void who_resigned_lets_others_go_first() {
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        dutyEnds(new Loss.Completed());
        on(new ElectionEvent.Released());

        assertThat(state).isEqualTo(new BackOff(NOW + Stage.STAND_BACK, ClaimAttempts.NONE));
    }

    @Test
    void any_other_loss_stands_again_after_a_moment() {
        for (Loss loss : List.of(new Loss.Expired(), new Loss.Superseded("x"), new Loss.Fenced(new FencingToken(50)))) {
            state = new Leading(GRANT);
            on(new ElectionEvent.EndWanted(loss));
            dutyEnds(new Loss.Completed());

            on(new ElectionEvent.Released());

            assertThat(state).isEqualTo(new BackOff(NOW + ReleaseSteps.RETRY_NANOS_MIN, ClaimAttempts.NONE));
        }
    }

    @Test
    void what_the_duty_says_does_not_change_why_the_term_ended() {
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));

        dutyEnds(new Loss.DutyFailed(new InterruptedException()));

        assertThat(effects.get(0)).isEqualTo(new ElectionEffect.EndTerm(TERM, new Loss.Resigned("deploy")));
    }

    @Test
    void closing_during_a_drain_retires_afterwards_with_the_close() {
        on(new ElectionEvent.EndWanted(new Loss.Resigned("deploy")));
        on(new ElectionEvent.EndWanted(new Loss.Closed()));
        dutyEnds(new Loss.Completed());

        on(new ElectionEvent.Released());

        assertThat(state).isEqualTo(new Retired(new Loss.Closed()));
    }

    @Test
    void closing_during_the_release_of_a_completed_duty_keeps_its_completion() {
        dutyEnds(new Loss.Completed());
        on(new ElectionEvent.EndWanted(new Loss.Closed()));

        on(new ElectionEvent.Released());

        assertThat(state).isEqualTo(new Retired(new Loss.Completed()));
    }

    @Test
    void a_release_without_answer_is_sent_again_under_a_new_attempt() {
        dutyEnds(new Loss.Completed());
        long first = ((Releasing) state).release().attempt();
        assertThat(nextWake()).hasValue(NOW + 1500 * MILLI);
        now = NOW + 1500 * MILLI;

        on(new ElectionEvent.Tick());

        ElectionEffect.SendRelease again = (ElectionEffect.SendRelease) effects.get(0);
        assertThat(again.attempt()).isNotEqualTo(first);
        assertThat(again.nonce()).isEqualTo(NONCE);
        assertThat(machine.expects(state, first)).isFalse();
        assertThat(machine.expects(state, again.attempt())).isTrue();
    }

    @Test
    void a_release_that_failed_is_sent_again_after_a_pause() {
        dutyEnds(new Loss.Completed());
        long first = ((Releasing) state).release().attempt();
        on(new ElectionEvent.ReleaseFailed());
        assertThat(machine.expects(state, first)).isFalse();
        assertThat(nextWake()).hasValue(NOW + 500 * MILLI);
        now = NOW + 500 * MILLI;

        on(new ElectionEvent.Tick());

        assertThat(effects).hasSize(1).first().isInstanceOf(ElectionEffect.SendRelease.class);
    }

    @Test
    void a_renewal_in_time_moves_the_risk_away() {
        now = deadline() - DRAIN;
        session = Optional.of(Stage.session("s1", now, 0));

        on(new ElectionEvent.Tick());

        assertThat(state).isInstanceOf(Leading.class);
    }
}
