// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.cluster.EtcdProxy;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ReleaseReply;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A claim that is stuck in the network and arrives when nobody wants it any more. */
@Tag("server")
class LateClaimTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final ElectionName OTHER = ElectionName.of("other");
    private static final Duration TTL = Duration.ofSeconds(10);

    private final EtcdCluster cluster = SharedClusters.of(EtcdServers.NEWEST);
    private final String folder = "late-" + UUID.randomUUID().toString().substring(0, 8);
    private final Keys keys = new Keys(folder, false);
    private EtcdProxy proxy;
    private Client client;
    private Client.Seat seat;

    @BeforeEach
    void connect() throws Exception {
        proxy = new EtcdProxy(cluster.nodes().get(0).clientPort());
        client = new Client("etcd://" + proxy.endpoint() + "/" + folder + "?timeout=20s");
        seat = client.open(TTL);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        proxy.close();
    }

    private CompletableFuture<ClaimReply> claimThatIsHeldBack(Nonce nonce) throws Exception {
        proxy.holdBack(keys.entry(ELECTION, Long.parseLong(seat.lease(), 16)));
        CompletableFuture<ClaimReply> late = seat.send(ELECTION, nonce);
        proxy.awaitHolding();
        return late;
    }

    @Test
    void it_changes_nothing_after_the_release() throws Exception {
        Nonce nonce = seat.nonce();
        CompletableFuture<ClaimReply> late = claimThatIsHeldBack(nonce);

        ReleaseReply release = seat.release(ELECTION, nonce);
        proxy.letGo();
        await().atMost(Duration.ofSeconds(60)).until(late::isDone);

        assertThat(release).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(late).isCompletedExceptionally();
        assertThat(cluster.range(keys.election(ELECTION))).isEmpty();
    }

    @Test
    void it_does_not_take_the_place_of_a_newer_claim_that_was_released() throws Exception {
        CompletableFuture<ClaimReply> late = claimThatIsHeldBack(seat.nonce());
        ClaimReply.Granted newer = seat.take(ELECTION);

        ReleaseReply release = seat.release(ELECTION, newer.nonce());
        proxy.letGo();
        await().atMost(Duration.ofSeconds(60)).until(late::isDone);

        assertThat(release).isEqualTo(ReleaseReply.RELEASED);
        assertThat(cluster.range(keys.election(ELECTION))).isEmpty();
    }

    @Test
    void it_does_not_disturb_a_newer_claim_that_stands() throws Exception {
        CompletableFuture<ClaimReply> late = claimThatIsHeldBack(seat.nonce());
        ClaimReply.Granted newer = seat.take(ELECTION);

        proxy.letGo();
        await().atMost(Duration.ofSeconds(60)).until(late::isDone);

        assertThat(late).isCompletedExceptionally();
        assertThat(seat.holds(ELECTION, newer)).isTrue();
        assertThat(cluster.range(keys.election(ELECTION))).hasSize(1);
    }

    @Test
    void other_claims_of_the_session_go_on_after_its_guard_has_moved() throws Exception {
        Nonce nonce = seat.nonce();
        CompletableFuture<ClaimReply> late = claimThatIsHeldBack(nonce);
        ClaimReply.Granted before = seat.take(OTHER);

        seat.release(ELECTION, nonce);
        proxy.letGo();
        await().atMost(Duration.ofSeconds(60)).until(late::isDone);

        assertThat(seat.holds(OTHER, before)).isTrue();
        assertThat(seat.take(ELECTION).token()).isGreaterThan(before.token());
    }
}
