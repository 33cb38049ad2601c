// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.RawSession.granted;
import static dev.tenure.contract.RawSession.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Claims and releases: who gets an election, and who can give it up. */
interface ClaimCases extends BackendCases {
    int RIVALS = 8;
    int ROUNDS = 10;
    /** A notified change is a hint: one of ten may be lost. A queue's grant may not. */
    int HINTS_LOST_MAX = 1;

    Duration HINT_WITHIN = Duration.ofSeconds(2);

    @Test
    default void a_free_election_is_granted_to_the_nonce_that_asked() {
        RawSession session = fixture().client().open();
        Nonce nonce = session.nonce();

        ClaimReply.Granted grant = granted(session.claim(ELECTION, nonce));

        assertThat(grant.nonce()).isEqualTo(nonce);
        assertThat(grant.takeover()).isFalse();
        assertThat(grant.standoff()).isEqualTo(Duration.ZERO);
        assertThat(session.holds(ELECTION, nonce)).isTrue();
    }

    @Test
    default void a_held_election_is_waited_for_and_its_holder_is_shown() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        LeaderMetadata metadata = LeaderMetadata.EMPTY.with("address", "10.0.0.7:9090");
        ClaimReply.Granted grant =
                granted(holder.claim(new ClaimRequest(ELECTION, holder.nonce(), 0, "pod-7", metadata)));

        Leader shown = waiting(rival.claim(ELECTION, rival.nonce())).holder().orElseThrow();

        assertThat(shown.election()).isEqualTo(ELECTION);
        assertThat(shown.node()).isEqualTo("pod-7");
        assertThat(shown.token()).isEqualTo(grant.token());
        assertThat(shown.metadata()).isEqualTo(metadata);
        assertThat(holder.holds(ELECTION, grant.nonce())).isTrue();
    }

    @Test
    default void of_many_that_claim_at_once_exactly_one_is_granted() {
        List<RawSession> rivals = new ArrayList<>();
        for (int i = 0; i < RIVALS; i++) {
            rivals.add(fixture().client().open("rival-" + i));
        }

        for (int round = 0; round < ROUNDS; round++) {
            ElectionName election = ElectionName.of("round/" + round);
            List<CompletableFuture<ClaimReply>> claims = rivals.stream()
                    .map(rival -> rival.send(RawSession.request(election, rival.nonce())))
                    .toList();

            List<ClaimReply> replies =
                    claims.stream().map(fixture().await()::reply).toList();
            assertThat(replies).filteredOn(ClaimReply.Granted.class::isInstance).hasSize(1);
        }
    }

    @Test
    default void asking_again_with_the_same_nonce_gives_the_same_term() {
        RawSession session = fixture().client().open();
        Nonce nonce = session.nonce();
        ClaimReply.Granted first = granted(session.claim(ELECTION, nonce));

        ClaimReply.Granted again = granted(session.claim(ELECTION, nonce));

        assertThat(again.token()).isEqualTo(first.token());
        assertThat(again.nonce()).isEqualTo(nonce);
        assertThat(session.holds(ELECTION, nonce)).isTrue();
    }

    @Test
    default void a_session_that_claims_its_own_election_anew_gets_a_higher_token_and_the_old_nonce_is_void() {
        RawSession session = fixture().client().open();
        ClaimReply.Granted first = session.take(ELECTION);

        ClaimReply.Granted second = session.take(ELECTION);

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(session.holds(ELECTION, first.nonce())).isFalse();
        assertThat(session.holds(ELECTION, second.nonce())).isTrue();
    }

    @Test
    default void the_same_node_in_a_new_session_does_not_inherit_what_its_old_session_holds() {
        RawSession before = fixture().client().open("pod-7");
        ClaimReply.Granted first = before.take(ELECTION);
        RawSession restarted = fixture().client().open("pod-7");

        waiting(restarted.claim(ELECTION, first.nonce()));

        assertThat(restarted.holds(ELECTION, first.nonce())).isFalse();
        assertThat(before.holds(ELECTION, first.nonce())).isTrue();
    }

    @Test
    default void a_release_frees_the_election_for_others() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        ClaimReply.Granted first = holder.take(ELECTION);

        ReleaseReply reply = holder.release(ELECTION, first.nonce());
        ClaimReply.Granted second = rival.take(ELECTION);

        assertThat(reply).isEqualTo(ReleaseReply.RELEASED);
        assertThat(second.takeover()).as("its predecessor released").isFalse();
        assertThat(second.standoff()).isEqualTo(Duration.ZERO);
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(holder.holds(ELECTION, first.nonce())).isFalse();
    }

    @Test
    default void a_second_release_finds_nothing_to_release() {
        RawSession holder = fixture().client().open();
        ClaimReply.Granted grant = holder.take(ELECTION);
        holder.release(ELECTION, grant.nonce());

        ReleaseReply again = holder.release(ELECTION, grant.nonce());
        ReleaseReply never = holder.release(ElectionName.of("never claimed"), holder.nonce());

        assertThat(again).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(never).isEqualTo(ReleaseReply.NOT_HELD);
    }

    @Test
    default void a_late_release_of_an_earlier_term_does_not_end_the_next_one() {
        RawSession session = fixture().client().open();
        ClaimReply.Granted first = session.take(ELECTION);
        session.release(ELECTION, first.nonce());
        ClaimReply.Granted second = session.take(ELECTION);

        ReleaseReply late = session.release(ELECTION, first.nonce());

        assertThat(late).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(session.holds(ELECTION, second.nonce())).isTrue();
    }

    @Test
    default void a_release_with_a_nonce_that_was_never_claimed_changes_nothing() {
        RawSession session = fixture().client().open();
        ClaimReply.Granted grant = session.take(ELECTION);

        ReleaseReply wrong = session.release(ELECTION, session.nonce());

        assertThat(wrong).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(session.holds(ELECTION, grant.nonce())).isTrue();
    }

    @Test
    default void another_session_cannot_release_a_claim_even_with_its_nonce() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        ClaimReply.Granted grant = holder.take(ELECTION);

        ReleaseReply reply = rival.release(ELECTION, grant.nonce());

        assertThat(reply).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(holder.holds(ELECTION, grant.nonce())).isTrue();
    }

    @Test
    default void after_a_release_no_earlier_claim_of_the_session_takes_effect() {
        RawSession session = fixture().client().open();
        RawClient witness = fixture().client();
        RawSession rival = witness.open();

        for (int round = 0; round < 2 * ROUNDS; round++) {
            Nonce first = session.nonce();
            Nonce second = session.nonce();
            CompletableFuture<ClaimReply> one = session.send(RawSession.request(ELECTION, first));
            CompletableFuture<ClaimReply> two = session.send(RawSession.request(ELECTION, second));
            CompletableFuture<ReleaseReply> release = session.sendRelease(ELECTION, second);
            fixture().await().until("all three are answered", () -> one.isDone() && two.isDone() && release.isDone());
            if (release.isCompletedExceptionally()) {
                session.release(ELECTION, second);
            }

            assertThat(witness.read(ELECTION).leader()).as("round " + round).isEmpty();
            ClaimReply.Granted next = rival.take(ELECTION);
            assertThat(session.holds(ELECTION, first)).isFalse();
            assertThat(session.holds(ELECTION, second)).isFalse();
            rival.release(ELECTION, next.nonce());
        }
    }

    @Test
    default void only_the_holder_of_the_very_claim_holds_it() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        ClaimReply.Granted grant = holder.take(ELECTION);

        assertThat(holder.holds(ELECTION, grant.nonce())).isTrue();
        assertThat(holder.holds(ELECTION, holder.nonce())).isFalse();
        assertThat(holder.holds(ElectionName.of("another"), grant.nonce())).isFalse();
        assertThat(rival.holds(ELECTION, grant.nonce())).isFalse();
    }

    @Test
    default void a_release_wakes_those_who_wait() {
        Wakeup wakeup = fixture().traits().wakeup();
        assumeTrue(wakeup != Wakeup.POLL, "this backend declares that waiting candidates poll: " + wakeup);
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        boolean queues = wakeup == Wakeup.QUEUE;
        Duration wokenWithin = queues ? fixture().await().limit() : HINT_WITHIN;

        if (!queues) {
            fixture()
                    .await()
                    .until(
                            "a first hint: until then nobody may listen",
                            () -> wokenByRelease(holder, rival, HINT_WITHIN));
        }
        int lost = 0;
        for (int round = 0; round < ROUNDS; round++) {
            lost += wokenByRelease(holder, rival, wokenWithin) ? 0 : 1;
            assertThat(lost)
                    .as("releases of %s that woke nobody, each within %s", round + 1, wokenWithin)
                    .isLessThanOrEqualTo(queues ? 0 : HINTS_LOST_MAX);
        }
    }

    private boolean wokenByRelease(RawSession holder, RawSession rival, Duration within) {
        ClaimReply.Granted grant = holder.takeWhenFree(ELECTION);
        Nonce nonce = rival.nonce();
        waiting(rival.claim(ELECTION, nonce));
        rival.events().forget();
        holder.release(ELECTION, grant.nonce());
        boolean woken = fixture().await().within(within, () -> rival.events().wasWokenFor(ELECTION));
        rival.release(ELECTION, nonce);
        return woken;
    }

    @Test
    default void a_token_is_above_the_floor_that_the_claim_names() {
        TokenSource tokens = fixture().traits().tokens();
        assumeTrue(
                tokens == TokenSource.COUNTER,
                "this backend declares that its tokens come from a " + tokens + ", which a floor cannot lift");
        RawSession session = fixture().client().open();
        long floor = session.take(ElectionName.of("another")).token().value() + 1_000_000;

        ClaimReply.Granted grant = granted(
                session.claim(new ClaimRequest(ELECTION, session.nonce(), floor, "holder", LeaderMetadata.EMPTY)));

        assertThat(grant.token().value()).isGreaterThan(floor);
    }

    @Test
    default void full_metadata_comes_back_as_it_was_written() {
        RawSession session = fixture().client().open();
        LeaderMetadata full = new LeaderMetadata(Map.of("ke", "\u00e9".repeat((LeaderMetadata.BYTES_MAX - 2) / 2)));
        session.claim(new ClaimRequest(ELECTION, session.nonce(), 0, "Größe-東京", full));

        Leader seen = fixture().client().read(ELECTION).leader().orElseThrow();

        assertThat(seen.metadata()).isEqualTo(full);
        assertThat(seen.node()).isEqualTo("Größe-東京");
    }
}
