// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.quorum.QuorumMessage.Leads;
import dev.tenure.algorithms.quorum.QuorumMessage.Stand;
import dev.tenure.algorithms.quorum.QuorumMessage.Vote;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LeasedQuorumTest {
    private static final long MILLI = 1_000_000;
    private static final Duration LEASE = Duration.ofMillis(1350);
    private static final QuorumSettings SETTINGS =
            new QuorumSettings(Duration.ofMillis(300), Duration.ofMillis(1500), Duration.ofMillis(3000));
    private static final Group GROUP = new Group(1, List.of(1, 2, 3));

    private final LeasedQuorum machine = new LeasedQuorum(GROUP, SETTINGS, LEASE);
    private LeasedQuorum.State state = machine.initial();
    private List<Effect> effects = List.of();

    LeasedQuorumTest() {
        at(0, new Event.Started(Optional.empty()));
    }

    private void at(long millis, Event event) {
        Step<LeasedQuorum.State> step = machine.on(state, event, millis * MILLI);
        state = step.state();
        effects = step.effects();
    }

    private void hears(long millis, int from, Message message) {
        at(millis, new Event.Received(from, message));
    }

    private void fires(long millis, String timer) {
        at(millis, new Event.TimerFired(timer));
    }

    private Stream<Message> said() {
        return effects.stream()
                .flatMap(effect ->
                        effect instanceof Effect.Persist persist ? persist.then().stream() : Stream.of(effect))
                .filter(Effect.Send.class::isInstance)
                .map(effect -> ((Effect.Send) effect).message());
    }

    private void lead() {
        fires(2000, LeasedQuorum.STAND);
        hears(2010, 2, new Vote(1));
    }

    @Test
    void a_leader_believes_from_when_it_began_to_stand() {
        lead();

        assertThat(effects).contains(new Effect.Lead(Effect.LEADER, 1, 2000 * MILLI + LEASE.toNanos()));
        assertThat(said()).contains(new LeaseMessage.Keep(1, 2010 * MILLI));
    }

    @Test
    void it_believes_on_from_when_it_sent_what_a_majority_answered() {
        lead();
        fires(2300, LeasedQuorum.KEEP);
        hears(2600, 3, new LeaseMessage.Kept(1, 2300 * MILLI));

        assertThat(effects).contains(new Effect.Lead(Effect.LEADER, 1, 2300 * MILLI + LEASE.toNanos()));
    }

    @Test
    void when_nobody_answers_it_leads_no_longer() {
        lead();
        fires(3351, "lease");

        assertThat(effects).contains(new Effect.Undecided(Effect.LEADER, 1));
        assertThat(state.leading()).isEmpty();
        assertThat(state.inner().standing()).isInstanceOf(QuorumState.Waiting.class);
    }

    @Test
    void nobody_votes_for_another_while_a_leader_may_believe() {
        hears(2000, 2, new Leads(5, false));
        hears(2000, 2, new LeaseMessage.Keep(5, 77));
        assertThat(said()).containsExactly(new LeaseMessage.Kept(5, 77));

        hears(3499, 3, new Stand(6));
        assertThat(said()).isEmpty();
        assertThat(state.inner().ballot().term()).isEqualTo(5);

        hears(3500, 3, new Stand(6));
        assertThat(said()).containsExactly(new Vote(6));
    }

    @Test
    void nobody_votes_right_after_it_was_started_nor_stands_right_after_it_has_voted() {
        hears(1499, 3, new Stand(1));
        assertThat(said()).isEmpty();

        hears(1500, 3, new Stand(1));
        assertThat(said()).containsExactly(new Vote(1));

        fires(1600, LeasedQuorum.STAND);
        assertThat(said()).isEmpty();
        assertThat(state.inner().standing()).isNotInstanceOf(QuorumState.Candidate.class);
    }

    @Test
    void who_leaves_frees_those_that_wait_for_its_lease() {
        hears(2000, 2, new LeaseMessage.Keep(5, 77));
        hears(2001, 2, new LeaseMessage.Left(5, 2));

        hears(2002, 3, new Stand(6));

        assertThat(said()).containsExactly(new Vote(6));
    }

    @Test
    void a_leader_that_resigns_says_so_and_stops() {
        lead();
        at(2100, new Event.Resigned());

        assertThat(said()).contains(new LeaseMessage.Left(1, 1));
        assertThat(effects).contains(new Effect.Undecided(Effect.LEADER, 1));
        assertThat(state.leading()).isEmpty();
    }

    @Test
    void a_leader_that_is_refused_by_one_in_a_later_term_leads_on_and_does_not_vote_for_it() {
        lead();

        hears(2020, 3, new QuorumMessage.Refuse(3));
        assertThat(effects).isEmpty();
        assertThat(state.leading()).isPresent();

        hears(2030, 3, new Stand(3));
        assertThat(said()).isEmpty();
    }
}
