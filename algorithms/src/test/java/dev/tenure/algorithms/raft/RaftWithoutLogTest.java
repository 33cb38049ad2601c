// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Drive;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.raft.RaftMessage.Append;
import dev.tenure.algorithms.raft.RaftMessage.Appended;
import dev.tenure.algorithms.raft.RaftMessage.PreVote;
import dev.tenure.algorithms.raft.RaftMessage.PreVoted;
import dev.tenure.algorithms.raft.RaftMessage.RequestVote;
import dev.tenure.algorithms.raft.RaftMessage.Resigned;
import dev.tenure.algorithms.raft.RaftMessage.Voted;
import dev.tenure.algorithms.raft.RaftState.Candidate;
import dev.tenure.algorithms.raft.RaftState.Follower;
import dev.tenure.algorithms.raft.RaftState.Leader;
import dev.tenure.algorithms.raft.RaftState.PreCandidate;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Raft's election where nothing is replicated: as a group of processes runs it. */
final class RaftWithoutLogTest {
    private static final long MILLI = 1_000_000;
    private static final LogPosition EMPTY = LogPosition.EMPTY;

    private final Raft machine = new Raft(
            new Group(2, List.of(1, 2, 3)), RaftSettings.lab().exclusive().withoutLog());
    private final Drive<RaftState> node = Drive.started(machine);

    private Drive<RaftState> leading() {
        return node.at(200 * MILLI)
                .fires("election")
                .receives(1, new PreVoted(1, true))
                .receives(1, new Voted(1, true));
    }

    @Test
    void a_heartbeat_and_its_answer_need_no_disk() {
        leading().fires("heartbeat");
        Drive<RaftState> follower = Drive.started(machine).at(300 * MILLI);
        follower.receives(1, new Append(5, EMPTY, 7));
        follower.receives(1, new Append(5, EMPTY, 8));

        assertThat(node.state().role()).isInstanceOf(Leader.class);
        assertThat(node.effects()).noneMatch(Effect.Persist.class::isInstance);
        assertThat(follower.effects())
                .noneMatch(Effect.Persist.class::isInstance)
                .contains(new Effect.Send(1, new Appended(5, EMPTY, 8)));
    }

    @Test
    void a_leader_that_resigns_tells_all_and_leads_no_longer() {
        leading().on(new Event.Resigned());

        assertThat(node.state().role()).isEqualTo(new Follower(java.util.Optional.empty()));
        assertThat(node.effects())
                .contains(
                        new Effect.Send(1, new Resigned(1, 2)),
                        new Effect.Send(3, new Resigned(1, 2)),
                        new Effect.Undecided(Effect.LEADER, 1));
    }

    @Test
    void nobody_waits_for_the_lease_of_a_leader_that_has_resigned() {
        node.at(200 * MILLI).receives(1, new Append(1, EMPTY, 0));
        assertThat(node.receives(3, new PreVote(2, EMPTY)).sends())
                .containsExactly(new Effect.Send(3, new PreVoted(1, false)));

        node.receives(3, new Resigned(1, 1));

        assertThat(node.receives(3, new RequestVote(2, EMPTY)).sends())
                .containsExactly(new Effect.Send(3, new Voted(2, true)));
    }

    @Test
    void a_word_about_an_older_leader_frees_nobody() {
        node.at(200 * MILLI).receives(1, new Append(2, EMPTY, 0)).receives(3, new Resigned(1, 1));

        assertThat(node.receives(3, new RequestVote(3, EMPTY)).sends())
                .containsExactly(new Effect.Send(3, new Voted(2, false)));
    }

    @Test
    void who_stood_and_stops_frees_those_that_voted_for_it_and_nobody_else() {
        Drive<RaftState> voter = Drive.started(machine).at(200 * MILLI).receives(3, new RequestVote(1, EMPTY));
        Drive<RaftState> other = Drive.started(machine).at(200 * MILLI).receives(1, new RequestVote(1, EMPTY));

        voter.receives(3, new Resigned(1, 3));
        other.receives(3, new Resigned(1, 3));

        assertThat(voter.receives(1, new RequestVote(2, EMPTY)).sends())
                .containsExactly(new Effect.Send(1, new Voted(2, true)));
        assertThat(other.receives(3, new RequestVote(2, EMPTY)).sends())
                .containsExactly(new Effect.Send(3, new Voted(1, false)));
    }

    @Test
    void who_has_just_voted_for_another_does_not_stand_whenever_it_is_woken() {
        node.at(200 * MILLI).receives(1, new RequestVote(1, EMPTY));

        node.at(201 * MILLI).fires("election");
        assertThat(node.state().role()).isInstanceOf(Follower.class);
        assertThat(node.sends()).isEmpty();

        node.at(350 * MILLI).fires("election");
        assertThat(node.state().role()).isInstanceOf(PreCandidate.class);
    }

    @Test
    void of_two_that_ask_at_once_the_lower_id_goes_first() {
        node.at(200 * MILLI).fires("election");

        assertThat(node.receives(3, new PreVote(1, EMPTY)).sends())
                .containsExactly(new Effect.Send(3, new PreVoted(0, false)));
        assertThat(node.receives(1, new PreVote(1, EMPTY)).sends())
                .containsExactly(new Effect.Send(1, new PreVoted(1, true)));
    }

    @Test
    void who_stood_and_lost_votes_for_another_at_once() {
        node.at(200 * MILLI).fires("election").receives(1, new PreVoted(1, true));
        assertThat(node.state().role()).isInstanceOf(Candidate.class);

        assertThat(node.at(210 * MILLI).receives(3, new RequestVote(2, EMPTY)).sends())
                .containsExactly(new Effect.Send(3, new Voted(2, true)));
    }

    @Test
    void who_no_longer_wants_to_lead_is_not_elected_by_votes_that_come_late() {
        node.at(200 * MILLI)
                .fires("election")
                .receives(1, new PreVoted(1, true))
                .on(new Event.Resigned());

        node.receives(1, new Voted(1, true));

        assertThat(node.state().role()).isInstanceOf(Follower.class);
    }
}
