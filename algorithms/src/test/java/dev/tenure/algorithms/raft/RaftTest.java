// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.algorithms.Drive;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.raft.RaftMessage.Append;
import dev.tenure.algorithms.raft.RaftMessage.Appended;
import dev.tenure.algorithms.raft.RaftMessage.PreVote;
import dev.tenure.algorithms.raft.RaftMessage.PreVoted;
import dev.tenure.algorithms.raft.RaftMessage.RequestVote;
import dev.tenure.algorithms.raft.RaftMessage.Voted;
import dev.tenure.algorithms.raft.RaftState.Candidate;
import dev.tenure.algorithms.raft.RaftState.Follower;
import dev.tenure.algorithms.raft.RaftState.Leader;
import dev.tenure.algorithms.raft.RaftState.PreCandidate;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RaftTest {
    private static final long MILLI = 1_000_000;
    private static final LogPosition EMPTY = LogPosition.EMPTY;

    private final Raft machine = new Raft(new Group(1, List.of(1, 2, 3)), RaftSettings.lab());
    private final Drive<RaftState> node = Drive.started(machine);

    private Drive<RaftState> leading() {
        return node.at(200 * MILLI)
                .fires("election")
                .receives(2, new PreVoted(1, true))
                .receives(2, new Voted(1, true));
    }

    @Test
    void who_misses_a_leader_asks_first_and_enters_no_term_yet() {
        node.at(200 * MILLI).fires("election");

        assertThat(node.sends()).hasSize(2).allMatch(send -> send.message().equals(new PreVote(1, EMPTY)));
        assertThat(node.state().role()).isInstanceOf(PreCandidate.class);
        assertThat(node.state().term()).isZero();
    }

    @Test
    void a_majority_of_pre_votes_makes_a_candidate_and_one_of_votes_a_leader() {
        node.at(200 * MILLI).fires("election").receives(2, new PreVoted(1, true));
        assertThat(node.state().role()).isInstanceOf(Candidate.class);
        assertThat(node.atOnce()).as("its own vote is on the disk first").noneMatch(Effect.Send.class::isInstance);

        node.receives(3, new Voted(1, true));
        assertThat(node.state().role()).isInstanceOf(Leader.class);
        assertThat(node.state().saved().last()).isEqualTo(new LogPosition(1, 1));
    }

    @Test
    void a_vote_is_given_once_in_a_term_also_after_a_restart() {
        node.at(200 * MILLI).receives(2, new RequestVote(1, EMPTY));
        Drive<RaftState> again = Drive.restarted(machine, node.state().saved()).at(200 * MILLI);

        assertThat(node.sends()).containsExactly(new Effect.Send(2, new Voted(1, true)));
        assertThat(node.atOnce()).noneMatch(Effect.Send.class::isInstance);
        assertThat(again.receives(3, new RequestVote(1, EMPTY)).sends())
                .containsExactly(new Effect.Send(3, new Voted(1, false)));
    }

    @Test
    void nobody_votes_for_a_log_that_is_behind() {
        node.at(0).receives(2, new Append(3, new LogPosition(3, 7), 0));

        node.at(200 * MILLI);
        assertThat(node.receives(3, new RequestVote(4, new LogPosition(2, 99))).sends())
                .containsExactly(new Effect.Send(3, new Voted(4, false)));
        assertThat(node.receives(3, new PreVote(5, new LogPosition(3, 6))).sends())
                .containsExactly(new Effect.Send(3, new PreVoted(4, false)));
        assertThat(node.receives(2, new RequestVote(5, new LogPosition(3, 7))).sends())
                .containsExactly(new Effect.Send(2, new Voted(5, true)));
    }

    @Test
    void a_vote_is_withheld_shortly_after_a_leader_was_heard_and_the_term_is_not_entered() {
        node.at(100 * MILLI).receives(2, new Append(1, new LogPosition(1, 1), 0));

        node.at(249 * MILLI).receives(3, new RequestVote(9, new LogPosition(8, 8)));
        assertThat(node.sends()).containsExactly(new Effect.Send(3, new Voted(1, false)));
        assertThat(node.state().term()).isEqualTo(1);

        node.at(250 * MILLI).receives(3, new RequestVote(9, new LogPosition(8, 8)));
        assertThat(node.sends()).containsExactly(new Effect.Send(3, new Voted(9, true)));
    }

    @Test
    void the_lease_counts_from_the_sending_of_what_a_majority_answered() {
        leading();
        Leader before = (Leader) node.state().role();
        assertThat(before.untilNanos()).isEqualTo(1_200 * MILLI);

        node.at(900 * MILLI).receives(3, new Appended(1, new LogPosition(1, 1), 300 * MILLI));
        Leader after = (Leader) node.state().role();
        assertThat(after.untilNanos()).isEqualTo(1_300 * MILLI);
        assertThat(after.committed()).isEqualTo(new LogPosition(1, 1));
    }

    @Test
    void a_leader_without_a_majority_for_a_lease_steps_down() {
        leading();

        assertThat(node.at(1_199 * MILLI).fires("lease").state().role()).isInstanceOf(Leader.class);
        assertThat(node.at(1_200 * MILLI).fires("lease").state().role()).isInstanceOf(Follower.class);
        assertThat(node.effects()).contains(new Effect.Undecided(Effect.LEADER, 1));
    }

    @Test
    void a_leader_steps_down_when_it_hears_of_a_higher_term() {
        assertThat(leading().receives(2, new Appended(4, EMPTY, 0)).state().role())
                .isInstanceOf(Follower.class);
        assertThat(node.state().term()).isEqualTo(4);
    }

    @Test
    void an_old_leader_is_answered_with_the_newer_term() {
        node.at(200 * MILLI).receives(2, new RequestVote(5, EMPTY));

        assertThat(node.receives(3, new Append(4, new LogPosition(4, 1), 7)).sends())
                .containsExactly(new Effect.Send(3, new Appended(5, EMPTY, 7)));
        assertThat(node.state().role()).isInstanceOf(Follower.class);
    }

    @Test
    void two_leaders_of_a_term_are_a_bug_and_said_to_be_one() {
        leading();

        assertThatThrownBy(() -> node.receives(2, new Append(1, new LogPosition(1, 1), 0)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void an_exclusive_lease_is_shorter_than_any_election_timeout() {
        assertThat(RaftSettings.lab().exclusive().lease()).isEqualTo(Duration.ofMillis(135));
    }
}
