// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Claims that arrive when nobody wants them any more, and calls whose answer is lost. */
@Tag("server")
class LateClaimTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final ElectionName OTHER = ElectionName.of("other");
    private static final Duration TTL = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String CLAIM = "\"Verb\":\"lock\"";
    private static final String RELEASE = "\"Verb\":\"unlock\"";

    private final ConsulCluster cluster = SharedServers.cluster();
    private final String prefix = "late-" + UUID.randomUUID().toString().substring(0, 8);
    private final HttpProxy proxy = new HttpProxy(cluster.nodes().get(0).httpPort());
    private final Client witness = new Client(cluster.url(prefix));
    private Client client = new Client("consul://" + proxy.address() + "/" + prefix + "?timeout=20s");
    private Client.Seat seat = client.open(TTL);

    @AfterEach
    void close() {
        client.close();
        witness.close();
        proxy.close();
    }

    private CompletableFuture<ClaimReply> claimThatIsHeldBack(Nonce nonce) throws Exception {
        proxy.holdBack(CLAIM);
        CompletableFuture<ClaimReply> late = seat.send(ELECTION, nonce);
        proxy.awaitHolding();
        return late;
    }

    private boolean isFree() {
        return witness.ask(() -> witness.backend().read(ELECTION)).leader().isEmpty();
    }

    @Test
    void a_late_claim_changes_nothing_after_the_release() throws Exception {
        Nonce nonce = seat.nonce();
        CompletableFuture<ClaimReply> late = claimThatIsHeldBack(nonce);

        ReleaseReply release = seat.release(ELECTION, nonce);
        proxy.letGo();
        await().atMost(SOON).until(late::isDone);

        assertThat(release).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(late).isCompletedExceptionally();
        assertThat(isFree()).isTrue();
    }

    @Test
    void a_late_claim_does_not_take_the_place_of_a_newer_one_that_was_released() throws Exception {
        CompletableFuture<ClaimReply> late = claimThatIsHeldBack(seat.nonce());
        ClaimReply.Granted newer = seat.take(ELECTION);

        ReleaseReply release = seat.release(ELECTION, newer.nonce());
        proxy.letGo();
        await().atMost(SOON).until(late::isDone);

        assertThat(release).isEqualTo(ReleaseReply.RELEASED);
        assertThat(isFree()).isTrue();
    }

    @Test
    void a_lock_that_was_read_late_does_not_take_the_place_of_a_newer_one() throws Exception {
        try (AnswerProxy answers = new AnswerProxy(cluster.nodes().get(0).httpPort());
                Client slow = new Client("consul://" + answers.address() + "/" + prefix + "?timeout=20s")) {
            Client.Seat at = slow.open(TTL);
            Nonce first = at.nonce();
            answers.fail(CLAIM);
            assertThatThrownBy(() -> at.claim(ELECTION, first)).isInstanceOf(BackendException.class);
            answers.holdBack("\"Verb\":\"get-tree\",\"Key\":\"" + prefix + "/" + ELECTION);
            CompletableFuture<ReleaseReply> late = slow.send(() -> at.session.release(ELECTION, first));
            answers.awaitHolding();
            assertThat(at.release(ELECTION, first)).isEqualTo(ReleaseReply.RELEASED);
            ClaimReply.Granted newer = at.take(ELECTION);

            answers.letGo();

            assertThat(Client.reply(late)).isEqualTo(ReleaseReply.NOT_HELD);
            assertThat(at.release(ELECTION, newer.nonce())).isEqualTo(ReleaseReply.RELEASED);
            assertThat(isFree()).isTrue();
        }
    }

    @Test
    void a_late_claim_does_not_disturb_a_newer_one_that_stands() throws Exception {
        CompletableFuture<ClaimReply> late = claimThatIsHeldBack(seat.nonce());
        ClaimReply.Granted newer = seat.take(ELECTION);

        proxy.letGo();
        await().atMost(SOON).until(late::isDone);

        assertThat(late).isCompletedExceptionally();
        assertThat(seat.holds(ELECTION, newer)).isTrue();
    }

    @Test
    void other_claims_of_the_session_go_on_after_the_guard_has_moved() throws Exception {
        Nonce nonce = seat.nonce();
        CompletableFuture<ClaimReply> late = claimThatIsHeldBack(nonce);
        ClaimReply.Granted before = seat.take(OTHER);

        seat.release(ELECTION, nonce);
        proxy.letGo();
        await().atMost(SOON).until(late::isDone);

        assertThat(seat.holds(OTHER, before)).isTrue();
        assertThat(seat.take(ELECTION).token()).isGreaterThan(before.token());
    }

    @Test
    void nothing_is_decided_by_a_read_that_may_be_stale() {
        ClaimReply.Granted grant = seat.take(ELECTION);
        seat.renew();
        seat.holds(ELECTION, grant);
        client.ask(() -> client.backend().read(ELECTION));
        client.ask(() -> client.backend().list());
        client.ask(() -> client.backend().raiseEra(3));
        seat.release(ELECTION, grant.nonce());

        assertThat(proxy.requests())
                .isNotEmpty()
                .allMatch(request -> request.contains("/v1/txn?consistent")
                        || request.contains("/v1/session/")
                        || request.contains("/v1/status/peers")
                        || request.contains("/v1/agent/self")
                        || request.contains("&index="));
    }

    @Test
    void a_claim_that_is_held_back_keeps_no_other_call_waiting() throws Exception {
        claimThatIsHeldBack(seat.nonce());

        assertThat(seat.renew()).isInstanceOf(RenewReply.Renewed.class);
        assertThat(seat.holds(OTHER, seat.take(OTHER))).isTrue();
    }

    private void impatient() {
        client.close();
        client = new Client("consul://" + proxy.address() + "/" + prefix + "?timeout=500ms");
        seat = client.open(TTL);
    }

    @Test
    void a_claim_whose_answer_was_lost_is_unknown_and_is_found_again_by_its_nonce() {
        impatient();
        Nonce nonce = seat.nonce();
        proxy.loseAnswersFrom(CLAIM);

        assertThatThrownBy(() -> seat.claim(ELECTION, nonce))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN));
        proxy.heal();
        ClaimReply.Granted again = (ClaimReply.Granted) seat.claim(ELECTION, nonce);

        assertThat(witness.ask(() -> witness.backend().read(ELECTION)).leader().map(Leader::token))
                .contains(again.token());
        assertThat(seat.holds(ELECTION, again)).isTrue();
    }

    @Test
    void a_claim_whose_answer_was_lost_is_given_up_by_a_release() {
        impatient();
        Nonce nonce = seat.nonce();
        proxy.loseAnswersFrom(CLAIM);
        assertThatThrownBy(() -> seat.claim(ELECTION, nonce)).isInstanceOf(BackendException.class);
        proxy.heal();

        assertThat(seat.release(ELECTION, nonce)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(isFree()).isTrue();
    }

    @Test
    void a_release_whose_answer_was_lost_is_unknown_and_finds_nothing_the_second_time() {
        impatient();
        ClaimReply.Granted grant = seat.take(ELECTION);
        proxy.loseAnswersFrom(RELEASE);
        assertThatThrownBy(() -> seat.release(ELECTION, grant.nonce()))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN));
        proxy.heal();

        assertThat(seat.release(ELECTION, grant.nonce())).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(isFree()).isTrue();
    }
}
