// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static dev.tenure.peers.OneMember.BASE;
import static dev.tenure.peers.OneMember.ELECTION;
import static dev.tenure.peers.OneMember.INSTANT;
import static dev.tenure.peers.OneMember.LEASE;
import static dev.tenure.peers.OneMember.LONG_AFTER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.quorum.QuorumMessage;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.peers.connection.PeerMessage;
import dev.tenure.peers.connection.PeerMessage.LeaderRecord;
import dev.tenure.peers.group.AlgorithmAdapter;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When one member votes, and when it stands; in virtual time, with the others played. */
class ElectionInstanceTest {
    private static final Nonce NONCE = new Nonce(1, 2);

    private OneMember one = new OneMember("raft");

    @AfterEach
    void close() {
        one.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void right_after_its_start_a_member_does_not_vote_for_it_may_have_answered_a_leader_before(String algorithm) {
        one = new OneMember(algorithm);

        one.passes(LEASE.minus(INSTANT));
        one.isAskedForItsVote(1, BASE + 1);
        assertThat(one.hasVotedFor(1, BASE + 1)).isFalse();

        one.passes(INSTANT);
        one.isAskedForItsVote(1, BASE + 1);
        assertThat(one.hasVotedFor(1, BASE + 1)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void it_does_not_vote_right_after_its_start_where_it_knows_the_election_from_before(String algorithm) {
        one = new OneMember(algorithm, new Ballot(BASE + 5, Optional.empty()));

        one.passes(LEASE.minus(INSTANT));
        one.isAskedForItsVote(1, BASE + 6);

        assertThat(one.hasVotedFor(1, BASE + 6)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void one_that_was_started_long_ago_votes_at_once_in_an_election_that_is_new_to_it(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);

        one.isAskedForItsVote(3, BASE + 1);

        assertThat(one.hasVotedFor(3, BASE + 1)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_vote_that_was_given_before_the_restart_is_not_given_to_another(String algorithm) {
        one = new OneMember(algorithm, new Ballot(BASE + 5, Optional.of(1)));
        one.passes(LONG_AFTER);

        one.isAskedForItsVote(3, BASE + 5);

        assertThat(one.hasVotedFor(3, BASE + 5)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_vote_is_told_when_the_disk_has_it_and_not_before(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        one.disk.stop();

        one.isAskedForItsVote(1, BASE + 1);
        one.isAskedForItsVote(1, BASE + 1);
        assertThat(one.hasVotedFor(1, BASE + 1)).isFalse();

        one.disk.goOn();
        one.time.settle();
        assertThat(one.hasVotedFor(1, BASE + 1)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void who_hears_a_leader_votes_for_nobody_else_until_its_lease_has_passed(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        one.hearsLeader(1, BASE + 1);

        one.passes(LEASE.minus(INSTANT));
        one.isAskedForItsVote(3, BASE + 2);
        assertThat(one.hasVotedFor(3, BASE + 2)).isFalse();

        one.passes(INSTANT);
        one.isAskedForItsVote(3, BASE + 2);
        assertThat(one.hasVotedFor(3, BASE + 2)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_member_by_whom_nobody_wants_to_lead_never_stands_whatever_it_hears(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        one.isAskedForItsVote(1, BASE + 1);
        one.hearsLeader(1, BASE + 1);

        one.passes(LONG_AFTER.multipliedBy(5));
        one.hearsResignation(1, BASE + 1);
        one.isAskedForItsVote(3, BASE + 2);
        one.hears(3, new PeerMessage.Stands(ELECTION, true));
        one.hears(3, new PeerMessage.Stands(ELECTION, false));
        one.passes(LONG_AFTER.multipliedBy(5));
        one.time.advance(LONG_AFTER.multipliedBy(5));

        assertThat(one.hasAskedForAVote()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void who_has_given_up_asks_for_no_vote_any_more(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        PeersSession session = one.session();
        one.claim(session, NONCE);
        assertThat(one.hasAskedForAVote()).isTrue();

        session.release(ELECTION, NONCE);
        one.time.settle();
        Stream.of(1, 3).forEach(peer -> one.line(peer).forget());
        one.passes(LONG_AFTER.multipliedBy(5));

        assertThat(one.hasAskedForAVote()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void when_the_leader_resigns_the_one_with_the_lowest_number_of_those_that_wait_begins_at_once(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        one.hears(3, new PeerMessage.Stands(ELECTION, true));
        one.hearsLeader(1, BASE + 1);
        one.claim(one.session(), NONCE);
        assertThat(one.hasAskedForAVote()).isFalse();
        one.line(3).forget();

        one.hearsResignation(1, BASE + 1);

        assertThat(one.hasAskedForAVote()).isTrue();
        assertThat(one.line(3).said(Message.class))
                .as("the others may not have heard it, and vote for nobody before")
                .first()
                .matches(AlgorithmAdapter::isResignation);
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void when_the_leader_resigns_the_others_that_wait_let_the_lowest_go_first(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        one.hears(1, new PeerMessage.Stands(ELECTION, true));
        one.hearsLeader(3, BASE + 1);
        one.claim(one.session(), NONCE);

        one.hearsResignation(3, BASE + 1);
        assertThat(one.hasAskedForAVote()).isFalse();

        one.passes(LEASE);
        assertThat(one.hasAskedForAVote()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_bid_that_was_given_up_while_the_disk_wrote_is_not_made(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        PeersSession session = one.session();
        one.disk.stop();
        one.claim(session, NONCE);
        one.hears(1, new RaftMessage.PreVoted(BASE + 1, true));

        session.release(ELECTION, NONCE);
        one.time.settle();
        one.disk.goOn();
        one.passes(LONG_AFTER);

        assertThat(one.member.journal.ballot(ELECTION).map(Ballot::term)).contains(BASE + 1);
        assertThat(one.hasStood()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void who_only_looks_cannot_say_anything_that_counts(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        PlayedConnection guest = new PlayedConnection();
        one.host.post(() -> one.member.linked(guest, BASE));
        one.time.settle();

        one.hears(guest, new PeerMessage.AlgorithmMessage(ELECTION, new QuorumMessage.Stand(BASE + 1)));
        one.hears(guest, new PeerMessage.AlgorithmMessage(ELECTION, new RaftMessage.Resigned(BASE, 1)));
        one.hears(guest, new PeerMessage.Stands(ELECTION, true));

        assertThat(one.member.instances).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void what_comes_late_over_a_line_that_was_replaced_is_not_heard(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        PlayedConnection older = one.line(1);
        one.link(1);

        one.hears(older, new PeerMessage.Stands(ELECTION, true));

        assertThat(one.member.instances).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void an_older_word_about_the_leader_does_not_replace_a_newer_one(String algorithm) {
        one = new OneMember(algorithm);
        LeaderRecord first = held(BASE + 1, 1);
        LeaderRecord second = held(BASE + 2, 3);

        one.hears(1, new PeerMessage.Put(1, first));
        one.hears(3, new PeerMessage.Put(2, second));
        one.hears(1, new PeerMessage.Put(3, first.become(LeaderRecord.Fate.RELEASED)));

        assertThat(one.member.instances.get(ELECTION).record()).contains(second);
    }

    private static LeaderRecord held(long term, int member) {
        return new LeaderRecord(
                new Term(ELECTION, FencingToken.of(0, term), NONCE, "node"),
                1,
                member,
                0,
                LeaderMetadata.EMPTY,
                LeaderRecord.Fate.HELD);
    }
}
