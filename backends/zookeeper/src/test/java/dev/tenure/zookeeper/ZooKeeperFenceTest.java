// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A transaction that a term guards is applied while the term holds, and never after it. */
@Tag("server")
class ZooKeeperFenceTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final ElectionName ELECTION = ElectionName.of("ledger/writer");

    private final String base = "/fence-" + UUID.randomUUID();
    private final String url = Ensemble.shared().url(base);

    private static Term term(ClaimReply.Granted grant) {
        return new Term(ELECTION, grant.token(), grant.nonce(), "actor");
    }

    private List<Op> write(String text) {
        return List.of(Op.setData(base + "/ledger", text.getBytes(StandardCharsets.UTF_8), -1));
    }

    @Test
    void a_stale_term_writes_nothing_from_the_moment_its_latch_is_gone() throws Exception {
        try (Operator client = new Operator();
                Actor first = Actor.open(url, TTL);
                Actor second = Actor.open(url, TTL)) {
            client.create(base + "/ledger", "");
            ZooKeeperFence fence = ZooKeeperFence.of(client.client(), url);
            ClaimReply.Granted old = first.take(ELECTION);
            fence.write(term(old), write("by the first"));
            first.ask(() -> first.session().close());
            ClaimReply.Granted next = second.take(ELECTION);
            fence.write(term(next), write("by the second"));
            Await.until(
                    "the second term is written down",
                    () -> client.data(base + "/c/" + ELECTION.encoded())
                            .contains(next.token().toString()));

            assertThatThrownBy(() -> fence.write(term(old), write("by the zombie")))
                    .isInstanceOfSatisfying(
                            StaleTokenException.class,
                            stale -> assertThat(stale.seen()).isEqualTo(next.token()));

            assertThat(client.data(base + "/ledger")).isEqualTo("by the second");
        }
    }

    @Test
    void a_term_with_the_wrong_token_or_nonce_is_refused() throws Exception {
        try (Operator client = new Operator();
                Actor actor = Actor.open(url, TTL)) {
            client.create(base + "/ledger", "");
            ZooKeeperFence fence = ZooKeeperFence.of(client.client(), url);
            ClaimReply.Granted grant = actor.take(ELECTION);
            Term otherNonce = new Term(ELECTION, grant.token(), actor.nonce(), "actor");
            Term otherToken =
                    new Term(ELECTION, new dev.tenure.FencingToken(grant.token().value() + 1), grant.nonce(), "actor");

            assertThatThrownBy(() -> fence.write(otherNonce, write("x"))).isInstanceOf(StaleTokenException.class);
            assertThatThrownBy(() -> fence.write(otherToken, write("x"))).isInstanceOf(StaleTokenException.class);
            assertThat(client.data(base + "/ledger")).isEmpty();
        }
    }

    @Test
    void a_change_that_zookeeper_refuses_is_not_mistaken_for_a_stale_term() throws Exception {
        try (Operator client = new Operator();
                Actor actor = Actor.open(url, TTL)) {
            ZooKeeperFence fence = ZooKeeperFence.of(client.client(), url);
            ClaimReply.Granted grant = actor.take(ELECTION);

            assertThatThrownBy(() -> fence.write(term(grant), write("nowhere")))
                    .isInstanceOf(KeeperException.NoNodeException.class);
        }
    }

    /** Where a client calls back, no answer to an asynchronous call of that client can come. */
    @Test
    void a_stale_term_is_refused_on_the_event_thread_of_the_client_too() throws Exception {
        try (Operator client = new Operator();
                Actor actor = Actor.open(url, TTL)) {
            client.create(base + "/ledger", "");
            ZooKeeperFence fence = ZooKeeperFence.of(client.client(), url);
            Term stranger = new Term(ELECTION, actor.take(ELECTION).token(), actor.nonce(), "stranger");
            CompletableFuture<Object> written = new CompletableFuture<>();

            client.client()
                    .exists(
                            "/",
                            false,
                            (code, path, context, stat) -> {
                                try {
                                    written.complete(fence.write(stranger, write("x")));
                                } catch (Exception failure) {
                                    written.completeExceptionally(failure);
                                }
                            },
                            null);

            assertThat(written).failsWithin(TTL).withThrowableThat().withCauseInstanceOf(StaleTokenException.class);
        }
    }

    /** What a server has not heard of yet is asked of it while it is stopped, and answered before it has caught up. */
    @Test
    void a_term_is_not_stale_because_the_server_of_the_fence_lags_behind() throws Exception {
        try (Ensemble ensemble = Ensemble.start()) {
            Server lagging = ensemble.servers().stream()
                    .filter(server -> server != ensemble.leader())
                    .findFirst()
                    .orElseThrow();
            String leading = "zk://" + ensemble.leader().address() + base + "?tick=" + Ensemble.TICK.toMillis() + "ms";
            try (Operator client = new Operator(lagging.address());
                    Actor actor = Actor.open(leading, TTL)) {
                actor.take(ELECTION);
                client.create(base + "/ledger", "");
                for (int round = 1; round <= 8; round++) {
                    ElectionName election = ElectionName.of("round-" + round);
                    ZooKeeperFence fence = ZooKeeperFence.of(client.client(), url);
                    lagging.stop();
                    ClaimReply.Granted grant = actor.take(election);
                    Term term = new Term(election, grant.token(), grant.nonce(), "actor");
                    String line = "in round " + round;
                    CompletableFuture<Object> written = new CompletableFuture<>();
                    Thread writer = new Thread(() -> {
                        try {
                            written.complete(fence.write(term, write(line)));
                        } catch (Exception failure) {
                            written.completeExceptionally(failure);
                        }
                    });
                    writer.start();
                    Await.until("the fence has asked", () -> writer.getState() == Thread.State.WAITING);

                    lagging.resume();

                    assertThat(written).succeedsWithin(TTL);
                    assertThat(client.data(base + "/ledger")).isEqualTo(line);
                }
            }
        }
    }
}
