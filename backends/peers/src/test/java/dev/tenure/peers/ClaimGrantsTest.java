// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static dev.tenure.peers.OneMember.BASE;
import static dev.tenure.peers.OneMember.ELECTION;
import static dev.tenure.peers.OneMember.INSTANT;
import static dev.tenure.peers.OneMember.LONG_AFTER;
import static dev.tenure.peers.OneMember.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.quorum.LeaseMessage;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.peers.connection.PeerMessage;
import dev.tenure.peers.connection.PeerMessage.LeaderRecord;
import dev.tenure.peers.group.AlgorithmAdapter;
import dev.tenure.peers.group.PeersSettings.TimingProfile;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a claim is told that it leads, and until when; in virtual time, with the other members played. */
class ClaimGrantsTest {
    private static final Nonce NONCE = new Nonce(1, 2);
    private static final Nonce OTHER = new Nonce(3, 4);
    private static final FencingToken FIRST = FencingToken.of(0, BASE + 1);

    private OneMember one = new OneMember("raft");
    private PeersSession session = one.session();

    @AfterEach
    void close() {
        one.close();
    }

    private void begin(String algorithm) {
        one = new OneMember(algorithm);
        one.passes(LONG_AFTER);
        session = one.session();
    }

    private boolean holds(FencingToken token, Nonce nonce) {
        CompletableFuture<Boolean> answer =
                session.holds(new Term(ELECTION, token, nonce, "node-b")).toCompletableFuture();
        one.time.settle();
        return told(answer);
    }

    private CompletableFuture<RenewReply> renew() {
        CompletableFuture<RenewReply> reply = session.renew().toCompletableFuture();
        one.time.settle();
        return reply;
    }

    private CompletableFuture<ReleaseReply> release(Nonce nonce) {
        CompletableFuture<ReleaseReply> reply = session.release(ELECTION, nonce).toCompletableFuture();
        one.time.settle();
        return reply;
    }

    private boolean saysThatItHasLeft(int peer, long term) {
        Message left = one.member.settings.rules() == AlgorithmAdapter.RAFT
                ? new RaftMessage.Resigned(term, 2)
                : new LeaseMessage.Left(term, 2);
        return one.line(peer).hasSaid(left);
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_term_is_granted_when_a_majority_keeps_who_has_it_and_not_before(String algorithm) {
        begin(algorithm);
        CompletableFuture<ClaimReply> reply = one.claim(session, NONCE);
        one.elect();
        one.answerHeartbeat();
        assertThat(reply).isNotDone();
        assertThat(holds(FIRST, NONCE)).isFalse();

        one.keepHolding(0);

        assertThat(told(reply)).isInstanceOfSatisfying(ClaimReply.Granted.class, granted -> {
            assertThat(granted.token()).isEqualTo(FIRST);
            assertThat(granted.nonce()).isEqualTo(NONCE);
        });
        assertThat(holds(FIRST, NONCE)).isTrue();
    }

    /** Core gives up a question after 0.15 of the TTL and asks under another nonce; then the term won for the first is lost. */
    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_claim_that_nobody_can_win_yet_is_told_in_time_that_its_place_is_kept_and_its_grant_comes_by_itself(
            String algorithm) {
        one = new OneMember(algorithm);
        session = one.session();
        CompletableFuture<ClaimReply> reply = one.claim(session, NONCE);
        assertThat(reply).isNotDone();

        one.time.advance(TimingProfile.DEFAULT.ttl().dividedBy(10));
        assertThat(told(reply)).isEqualTo(new ClaimReply.Waiting(Optional.empty(), true));

        while (!one.hasAskedForAVote()) {
            renew();
            one.passes(TimingProfile.DEFAULT.heartbeat());
        }
        one.elect();
        CompletableFuture<ClaimReply> again = one.claim(session, NONCE);
        one.time.advance(TimingProfile.DEFAULT.ttl().dividedBy(10));
        assertThat(told(again)).isEqualTo(new ClaimReply.Waiting(Optional.empty(), true));

        one.keepHolding(0);
        renew();
        one.answerHeartbeat();
        assertThat(one.events.grants())
                .extracting(ClaimReply.Granted::nonce, ClaimReply.Granted::token)
                .containsExactly(tuple(NONCE, FIRST));
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_term_is_granted_when_a_majority_has_answered_since_the_session_was_renewed_and_not_before(String algorithm) {
        begin(algorithm);
        CompletableFuture<ClaimReply> reply = one.claim(session, NONCE);
        one.elect();
        one.time.advance(INSTANT);
        renew();
        one.time.advance(INSTANT);

        one.keepHolding(0);
        assertThat(reply).isNotDone();
        assertThat(holds(FIRST, NONCE)).isFalse();

        one.answerHeartbeat();
        assertThat(told(reply)).isInstanceOf(ClaimReply.Granted.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void an_answer_to_what_was_sent_before_the_renewal_grants_nothing(String algorithm) {
        begin(algorithm);
        CompletableFuture<ClaimReply> reply = one.claim(session, NONCE);
        one.elect();
        Message early = one.heartbeat();
        one.time.advance(INSTANT);
        renew();

        one.keepHolding(0);
        one.answer(early);

        assertThat(reply).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_renewal_is_answered_when_a_majority_has_answered_what_was_sent_after_it_and_not_before(String algorithm) {
        begin(algorithm);
        one.lead(session, NONCE);
        one.time.advance(TimingProfile.DEFAULT.heartbeat());
        Message early = one.heartbeat();
        one.time.advance(INSTANT);

        CompletableFuture<RenewReply> renewal = renew();
        one.answer(early);
        assertThat(renewal).isNotDone();

        one.answerHeartbeat();
        assertThat(told(renewal)).isInstanceOf(RenewReply.Renewed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_holder_that_a_majority_does_not_answer_holds_nothing_when_its_lease_is_over(String algorithm) {
        begin(algorithm);
        one.lead(session, NONCE);
        one.time.advance(INSTANT);
        CompletableFuture<RenewReply> renewal = renew();

        one.time.advance(TimingProfile.DEFAULT.lease());

        assertThat(holds(FIRST, NONCE)).isFalse();
        assertThat(renewal).isCompletedExceptionally();
        assertThat(one.events.changes()).containsExactly(ELECTION);
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void who_releases_leads_no_longer_and_says_so_to_all(String algorithm) {
        begin(algorithm);
        one.lead(session, NONCE);
        one.hears(3, new PeerMessage.Stands(ELECTION, true));

        CompletableFuture<ReleaseReply> reply = release(NONCE);
        one.keepHolding(0);
        one.passes(LONG_AFTER);

        assertThat(told(reply)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(holds(FIRST, NONCE)).isFalse();
        assertThat(one.member.instances.get(ELECTION).lead()).isEmpty();
        assertThat(saysThatItHasLeft(1, BASE + 1)).isTrue();
        assertThat(saysThatItHasLeft(3, BASE + 1)).isTrue();
        assertThat(one.line(3).lastItem(PeerMessage.Put.class).record().fate()).isEqualTo(LeaderRecord.Fate.RELEASED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_term_that_was_released_is_not_granted_again_to_the_next_claim(String algorithm) {
        begin(algorithm);
        one.lead(session, NONCE);
        release(NONCE);

        CompletableFuture<ClaimReply> reply = one.claim(session, OTHER);
        one.time.settle();

        assertThat(reply).isNotDone();
        assertThat(holds(FIRST, OTHER)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_claim_that_was_released_before_it_was_granted_is_never_granted(String algorithm) {
        begin(algorithm);
        CompletableFuture<ClaimReply> reply = one.claim(session, NONCE);
        one.elect();
        PeerMessage.Put put = one.line(1).lastItem(PeerMessage.Put.class);

        release(NONCE);
        one.hears(1, new PeerMessage.AnswerMessage(put.id(), new PeerMessage.Answer.EraIs(0)));
        one.line(1).forget();
        CompletableFuture<ClaimReply> next = one.claim(session, OTHER);
        one.elect();
        one.keepHolding(0);
        one.answerHeartbeat();

        assertThat(reply).isCompletedExceptionally();
        assertThat(one.events.grants()).isEmpty();
        assertThat(((ClaimReply.Granted) told(next)).nonce()).isEqualTo(OTHER);
        assertThat(((ClaimReply.Granted) told(next)).token()).isEqualTo(FencingToken.of(0, BASE + 2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_majority_that_knows_a_higher_era_is_told_again_under_it_before_the_grant(String algorithm) {
        begin(algorithm);
        CompletableFuture<ClaimReply> reply = one.claim(session, NONCE);
        one.elect();

        one.keepHolding(4);
        assertThat(reply).isNotDone();
        one.keepHolding(4);

        assertThat(((ClaimReply.Granted) told(reply)).token()).isEqualTo(FencingToken.of(4, BASE + 1));
        assertThat(holds(FIRST, NONCE)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void an_era_is_told_when_the_disk_has_it_and_not_before_whoever_asks(String algorithm) {
        begin(algorithm);
        one.disk.stop();

        one.hears(1, new PeerMessage.Ask(1, new PeerMessage.Question.Era(4)));
        one.hears(3, new PeerMessage.Ask(2, new PeerMessage.Question.Era(4)));
        one.hears(3, new PeerMessage.Ask(3, new PeerMessage.Question.Era(0)));
        assertThat(one.line(1).items(PeerMessage.AnswerMessage.class)).isEmpty();
        assertThat(one.line(3).items(PeerMessage.AnswerMessage.class))
                .containsExactly(new PeerMessage.AnswerMessage(3, new PeerMessage.Answer.EraIs(0)));

        one.disk.goOn();
        one.time.settle();
        assertThat(one.line(1).lastItem(PeerMessage.AnswerMessage.class))
                .isEqualTo(new PeerMessage.AnswerMessage(1, new PeerMessage.Answer.EraIs(4)));
        assertThat(one.line(3).lastItem(PeerMessage.AnswerMessage.class))
                .isEqualTo(new PeerMessage.AnswerMessage(2, new PeerMessage.Answer.EraIs(4)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_member_that_was_closed_does_not_go_on_telling_of_its_term(String algorithm) {
        begin(algorithm);
        one.claim(session, NONCE);
        one.elect();
        assertThat(one.line(1).items(PeerMessage.Put.class)).isNotEmpty();

        one.host.post(one.member::close);
        one.line(1).forget();
        one.time.advance(TimingProfile.DEFAULT.heartbeat());

        assertThat(one.line(1).items(PeerMessage.Put.class)).isEmpty();
    }

    /** All that are connected must answer; one that has gone is not among them any more. */
    @ParameterizedTest
    @ValueSource(strings = "bully")
    void a_question_without_terms_is_answered_as_soon_as_the_last_silent_member_has_gone(String algorithm) {
        begin(algorithm);
        CompletableFuture<Integer> answers = one.member
                .ask(new PeerMessage.Question.Era(0), one.member::suffices)
                .thenApply(PeerObserver.Answers::members);
        long asked = one.line(1).lastItem(PeerMessage.Ask.class).id();
        one.hears(1, new PeerMessage.AnswerMessage(asked, new PeerMessage.Answer.EraIs(0)));
        assertThat(answers).isNotDone();

        one.host.post(() -> one.member.unlinked(one.line(3)));
        one.time.settle();

        assertThat(answers).isCompletedWithValue(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void the_token_or_the_nonce_of_another_term_is_not_held(String algorithm) {
        begin(algorithm);
        one.lead(session, NONCE);

        assertThat(holds(FIRST, NONCE)).isTrue();
        assertThat(holds(FIRST, OTHER)).isFalse();
        assertThat(holds(FencingToken.of(0, BASE + 2), NONCE)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_session_that_is_not_renewed_ends_gives_up_its_terms_and_is_told(String algorithm) {
        begin(algorithm);
        one.lead(session, NONCE);
        while (one.events.losses().isEmpty()
                && one.time.nanos() < LONG_AFTER.multipliedBy(3).toNanos()) {
            one.passes(INSTANT.multipliedBy(100));
            one.answerHeartbeat();
        }

        assertThat(one.events.losses()).hasSize(1);
        assertThat(one.member.instances.get(ELECTION).lead()).isEmpty();
        assertThat(one.line(3).lastItem(PeerMessage.Put.class).record().fate()).isEqualTo(LeaderRecord.Fate.ENDED);
    }
}
