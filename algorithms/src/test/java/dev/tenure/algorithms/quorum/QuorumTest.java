// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Drive;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.quorum.QuorumMessage.Leads;
import dev.tenure.algorithms.quorum.QuorumMessage.Refuse;
import dev.tenure.algorithms.quorum.QuorumMessage.Stand;
import dev.tenure.algorithms.quorum.QuorumMessage.Vote;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.algorithms.quorum.QuorumState.Candidate;
import dev.tenure.algorithms.quorum.QuorumState.Following;
import dev.tenure.algorithms.quorum.QuorumState.Leading;
import dev.tenure.algorithms.quorum.QuorumState.Waiting;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class QuorumTest {
    private final Quorum machine = new Quorum(new Group(1, List.of(1, 2, 3, 4, 5)), QuorumSettings.lab());
    private final Drive<QuorumState> node = Drive.started(machine);

    @Test
    void nobody_hears_of_a_vote_that_is_not_on_the_disk() {
        node.receives(2, new Stand(1));

        assertThat(node.atOnce()).noneMatch(Effect.Send.class::isInstance);
        assertThat(node.effects())
                .contains(new Effect.Persist(new Ballot(1, Optional.of(2)), List.of(new Effect.Send(2, new Vote(1)))));
    }

    @Test
    void a_node_votes_once_in_a_term_also_after_a_restart() {
        node.receives(2, new Stand(1));
        Drive<QuorumState> again = Drive.restarted(machine, node.state().ballot());

        assertThat(node.receives(3, new Stand(1)).sends()).containsExactly(new Effect.Send(3, new Refuse(1)));
        assertThat(again.receives(3, new Stand(1)).sends()).containsExactly(new Effect.Send(3, new Refuse(1)));
        assertThat(again.receives(2, new Stand(1)).sends()).containsExactly(new Effect.Send(2, new Vote(1)));
        assertThat(again.receives(3, new Stand(2)).sends()).containsExactly(new Effect.Send(3, new Vote(2)));
    }

    @Test
    void a_majority_of_all_members_is_needed_and_no_vote_counts_twice() {
        node.called().fires("stand").receives(2, new Vote(1)).receives(2, new Vote(1));
        assertThat(node.state().standing()).isInstanceOf(Candidate.class);

        assertThat(node.receives(3, new Vote(1)).state().standing()).isEqualTo(new Leading());
        assertThat(node.effects()).contains(new Effect.Lead(Effect.LEADER, 1, Effect.FOREVER));
    }

    @Test
    void a_vote_of_an_older_term_does_not_count() {
        node.called().fires("stand").fires("stand").receives(2, new Vote(1)).receives(3, new Vote(1));

        assertThat(node.state().standing()).isInstanceOf(Candidate.class);
        assertThat(node.state().ballot().term()).isEqualTo(2);
    }

    @Test
    void an_old_leader_is_told_the_newer_term_and_steps_down() {
        node.called().fires("stand").receives(2, new Vote(1)).receives(3, new Vote(1));

        assertThat(node.receives(4, new Refuse(7)).state().standing()).isEqualTo(new Waiting());
        assertThat(node.receives(5, new Leads(1, true)).sends()).containsExactly(new Effect.Send(5, new Refuse(7)));
        assertThat(node.receives(5, new Leads(8, true)).state().standing()).isEqualTo(new Following(5));
    }

    @Test
    void a_leader_that_suspects_a_majority_steps_down() {
        node.called().fires("stand").receives(2, new Vote(1)).receives(3, new Vote(1));

        assertThat(node.suspects(2).suspects(3).state().standing()).isEqualTo(new Leading());
        assertThat(node.suspects(4).state().standing()).isEqualTo(new Waiting());
    }
}
