// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Drive;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.paxos.PaxosMessage.Accept;
import dev.tenure.algorithms.paxos.PaxosMessage.Accepted;
import dev.tenure.algorithms.paxos.PaxosMessage.Decided;
import dev.tenure.algorithms.paxos.PaxosMessage.Nack;
import dev.tenure.algorithms.paxos.PaxosMessage.Prepare;
import dev.tenure.algorithms.paxos.PaxosMessage.Promise;
import dev.tenure.algorithms.paxos.PaxosState.Following;
import dev.tenure.algorithms.paxos.PaxosState.Leading;
import dev.tenure.algorithms.paxos.PaxosState.Preparing;
import dev.tenure.algorithms.paxos.PaxosState.Proposal;
import dev.tenure.algorithms.paxos.PaxosState.Waiting;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PaxosTest {
    private static final Ballot LOW = new Ballot(1, 2);
    private static final Ballot HIGH = new Ballot(2, 3);

    private final Paxos machine = new Paxos(new Group(1, List.of(1, 2, 3)), PaxosSettings.lab());
    private final Drive<PaxosState> node = Drive.started(machine);

    @Test
    void a_promise_is_on_the_disk_first_and_lower_ballots_are_refused_after_it() {
        node.receives(3, new Prepare(1, HIGH, 0));
        assertThat(node.atOnce()).noneMatch(Effect.Send.class::isInstance);
        assertThat(node.sends()).containsExactly(new Effect.Send(3, new Promise(1, HIGH, Optional.empty())));

        Drive<PaxosState> again = Drive.restarted(machine, node.state().saved());
        Effect refusal = new Effect.Send(2, new Nack(1, LOW, HIGH));
        assertThat(again.receives(2, new Prepare(1, LOW, 0)).sends()).containsExactly((Effect.Send) refusal);
        assertThat(again.receives(2, new Accept(1, new Proposal(LOW, 2))).sends())
                .containsExactly((Effect.Send) refusal);
    }

    @Test
    void what_was_accepted_is_told_with_the_promise() {
        node.receives(2, new Accept(1, new Proposal(LOW, 2)));

        assertThat(node.receives(3, new Prepare(1, HIGH, 0)).sends())
                .containsExactly(new Effect.Send(3, new Promise(1, HIGH, Optional.of(new Proposal(LOW, 2)))));
    }

    @Test
    void a_proposer_proposes_what_may_have_been_chosen_and_otherwise_itself() {
        Ballot own = new Ballot(1, 1);
        node.called().fires("stand").receives(1, new Promise(1, own, Optional.empty()));
        node.receives(3, new Promise(1, own, Optional.of(new Proposal(new Ballot(0, 3), 3))));

        assertThat(node.sends())
                .hasSize(3)
                .allMatch(send -> send.message().equals(new Accept(1, new Proposal(own, 3))));
    }

    @Test
    void what_a_majority_accepts_is_decided() {
        Ballot own = new Ballot(1, 1);
        node.called().fires("stand");
        node.receives(1, new Promise(1, own, Optional.empty())).receives(2, new Promise(1, own, Optional.empty()));
        node.receives(2, new Accepted(1, own)).receives(3, new Accepted(1, own));

        assertThat(node.state().standing()).isEqualTo(new Leading());
        assertThat(node.effects()).contains(new Effect.Lead(Effect.LEADER, 1, Effect.FOREVER));
    }

    @Test
    void who_is_outbid_waits_before_it_bids_higher() {
        node.called().fires("stand").receives(2, new Nack(1, new Ballot(1, 1), new Ballot(7, 2)));
        assertThat(node.state().standing()).isEqualTo(new Waiting(1));

        node.fires("stand");
        assertThat(node.state().standing()).isInstanceOf(Preparing.class);
        assertThat(node.sends()).allMatch(send -> send.message().equals(new Prepare(1, new Ballot(8, 1), 0)));
    }

    @Test
    void a_ballot_is_on_the_disk_before_anybody_hears_of_it_and_is_used_once() {
        node.called().fires("stand");
        assertThat(node.atOnce()).noneMatch(Effect.Send.class::isInstance);
        assertThat(node.sends()).isNotEmpty();

        Drive<PaxosState> again =
                Drive.restarted(machine, node.state().saved()).called().fires("stand");
        assertThat(again.sends()).allMatch(send -> send.message().equals(new Prepare(1, new Ballot(2, 1), 0)));
    }

    @Test
    void who_hears_nothing_of_its_leader_looks_for_another_one_even_if_that_node_lives() {
        node.receives(2, new Decided(1, 2, false));
        assertThat(node.fires("silence").state().standing()).isEqualTo(new Waiting(0));

        node.receives(2, new Decided(1, 2, true));
        assertThat(node.effects())
                .anyMatch(effect ->
                        effect instanceof Effect.SetTimer set && set.timer().equals("silence"));
        assertThat(node.state().standing()).isEqualTo(new Following(2));
    }

    @Test
    void who_has_a_living_leader_helps_nobody_else() {
        node.receives(2, new Decided(1, 2, false));
        assertThat(node.receives(3, new Prepare(2, HIGH, 2)).sends())
                .containsExactly(new Effect.Send(3, new Nack(2, HIGH, Ballot.NONE)));

        node.suspects(2);
        assertThat(node.receives(3, new Prepare(2, HIGH, 2)).sends())
                .containsExactly(new Effect.Send(3, new Promise(2, HIGH, Optional.empty())));
    }

    @Test
    void who_asks_about_an_epoch_that_is_decided_is_told() {
        node.receives(2, new Decided(4, 2, false));

        assertThat(node.receives(3, new Prepare(2, HIGH, 3)).sends())
                .containsExactly(new Effect.Send(3, new Decided(4, 2, false)));
    }

    @Test
    void who_missed_decisions_learns_of_them_by_the_next_proposal() {
        node.receives(3, new Prepare(6, HIGH, 3));

        assertThat(node.state().saved().epoch()).isEqualTo(5);
        assertThat(node.state().standing()).isEqualTo(new Following(3));
        assertThat(node.sends()).containsExactly(new Effect.Send(3, new Promise(6, HIGH, Optional.empty())));
    }
}
