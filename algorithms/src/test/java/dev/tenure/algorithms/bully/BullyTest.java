// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.bully;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Drive;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.bully.BullyMessage.Coordinator;
import dev.tenure.algorithms.bully.BullyMessage.Election;
import dev.tenure.algorithms.bully.BullyMessage.Ok;
import dev.tenure.algorithms.bully.BullyState.Awaiting;
import dev.tenure.algorithms.bully.BullyState.Electing;
import dev.tenure.algorithms.bully.BullyState.Following;
import dev.tenure.algorithms.bully.BullyState.Leading;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BullyTest {
    private static Drive<BullyState> node(int id) {
        return Drive.started(new Bully(new Group(id, List.of(1, 2, 3, 4)), BullySettings.lab()));
    }

    @Test
    void who_is_called_asks_only_those_that_outrank_it() {
        Drive<BullyState> node = node(2).called();

        assertThat(node.sends())
                .containsExactly(new Effect.Send(3, new Election()), new Effect.Send(4, new Election()));
        assertThat(node.state().standing()).isEqualTo(new Electing());
    }

    @Test
    void the_highest_id_declares_itself_at_once() {
        Drive<BullyState> node = node(4).called();

        assertThat(node.sends()).hasSize(3).allMatch(send -> send.message().equals(new Coordinator()));
        assertThat(node.state().standing()).isEqualTo(new Leading());
    }

    @Test
    void who_gets_no_answer_leads_and_who_gets_one_waits() {
        assertThat(node(2).called().fires("answer").state().standing()).isEqualTo(new Leading());
        assertThat(node(2).called().receives(3, new Ok()).state().standing()).isEqualTo(new Awaiting());
        assertThat(node(2).called()
                        .receives(3, new Ok())
                        .fires("answer")
                        .state()
                        .standing())
                .isEqualTo(new Awaiting());
    }

    @Test
    void who_answered_and_did_not_win_is_not_waited_for_without_end() {
        Drive<BullyState> node = node(2).called().receives(3, new Ok()).fires("coordinator");

        assertThat(node.state().standing()).isEqualTo(new Electing());
    }

    @Test
    void a_lower_id_is_answered_and_the_election_taken_over() {
        Drive<BullyState> node = node(3).receives(1, new Election());

        assertThat(node.sends()).containsExactly(new Effect.Send(1, new Ok()), new Effect.Send(4, new Election()));
    }

    @Test
    void a_higher_coordinator_is_followed_and_a_lower_one_is_not() {
        assertThat(node(2).receives(4, new Coordinator()).state().standing()).isEqualTo(new Following(4));
        assertThat(node(2).receives(1, new Coordinator()).state().standing()).isEqualTo(new Electing());
    }

    @Test
    void a_coordinator_that_was_overtaken_by_a_higher_one_is_not_followed() {
        Drive<BullyState> node = node(1).receives(4, new Coordinator()).receives(2, new Coordinator());

        assertThat(node.state().standing()).isEqualTo(new Following(4));
    }

    @Test
    void only_the_loss_of_the_leader_calls_for_an_election() {
        Drive<BullyState> node = node(2).receives(4, new Coordinator());

        assertThat(node.suspects(3).sends()).isEmpty();
        assertThat(node.suspects(4).state().standing()).isEqualTo(new Electing());
        assertThat(node.receives(4, new Coordinator()).state().standing())
                .as("one that is suspected is not followed")
                .isEqualTo(new Electing());
    }

    @Test
    void a_leader_tells_those_that_come_back() {
        assertThat(node(4).called().recovers(2).sends()).containsExactly(new Effect.Send(2, new Coordinator()));
    }
}
