// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimReply;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A claim removes an older latch of its session, and the connection breaks before this deletion reaches a server. */
@Tag("server")
class LostDeletionTest {
    private static final ElectionName ELECTION = ElectionName.of("e");
    /** Longer than this test: a lost connection does not end the session. */
    private static final Duration TTL = Duration.ofSeconds(40);

    private final String base = "/deletion-" + UUID.randomUUID();
    private final String path = base + "/c/e";
    private Operator operator;
    private RequestProxy proxy;
    private Actor actor;

    @BeforeEach
    void connect() throws Exception {
        operator = new Operator();
        proxy = new RequestProxy(Ensemble.shared().servers().get(0));
        actor = new Actor("zk://" + proxy.address() + base + "?tick=" + Ensemble.TICK.toMillis() + "ms");
        actor.openWithoutRenewing(TTL);
    }

    @AfterEach
    void closeAll() throws Exception {
        actor.close();
        proxy.close();
        operator.close();
    }

    private ClaimReply claimAndLoseTheDeletion(Nonce nonce) throws Exception {
        int before = proxy.greetings();
        AtomicBoolean lost = new AtomicBoolean();
        proxy.filter((kind, request) -> {
            boolean now = kind == RequestProxy.DELETE && lost.compareAndSet(false, true);
            if (now) {
                holdUntilTheClientIsBack(before);
            }
            return !now;
        });
        ClaimReply reply = actor.claim(ELECTION, nonce);
        assertThat(lost).isTrue();
        return reply;
    }

    /** Holds the loop: else the client may fail the creation together with the deletion, as the connection breaks. */
    private void holdUntilTheClientIsBack(int greetingsBefore) {
        CompletableFuture<Boolean> holding = new CompletableFuture<>();
        actor.send(() -> {
            holding.complete(true);
            try {
                Await.until("the client is back", () -> proxy.greetings() > greetingsBefore);
            } catch (Exception failure) {
                throw new AssertionError(failure);
            }
            return holding;
        });
        holding.join();
    }

    private void assertGrantedByTheOnlyLatch(ClaimReply reply, long czxid) throws Exception {
        assertThat(operator.latches(path)).hasSize(1);
        assertThat(czxid(0)).isEqualTo(czxid);
        assertThat(reply)
                .isInstanceOfSatisfying(
                        ClaimReply.Granted.class,
                        granted -> assertThat(granted.token().sequence()).isEqualTo(czxid));
    }

    /** Of the latch at this place of the queue. */
    private long czxid(int place) throws Exception {
        return operator.czxid(path + "/" + operator.latches(path).get(place));
    }

    /** The names of both latches carry the same nonce. */
    @Test
    void the_latch_that_took_the_place_of_a_removed_one_is_kept_by_the_next_claim() throws Exception {
        Nonce nonce = actor.nonce();
        actor.claim(ELECTION, nonce);
        operator.remove(path + "/" + operator.latches(path).get(0));
        ClaimReply reply = claimAndLoseTheDeletion(nonce);
        long second = czxid(0);
        assertGrantedByTheOnlyLatch(reply, second);

        assertGrantedByTheOnlyLatch(actor.claim(ELECTION, nonce), second);
    }

    /** Else the session would wait behind a latch of its own, for as long as it renews. */
    @Test
    void an_older_latch_that_still_stands_is_removed_by_the_next_claim() throws Exception {
        actor.claim(ELECTION, actor.nonce());
        Nonce nonce = actor.nonce();
        assertThat(claimAndLoseTheDeletion(nonce)).isInstanceOf(ClaimReply.Waiting.class);
        assertThat(operator.latches(path)).hasSize(2);
        long second = czxid(1);

        assertGrantedByTheOnlyLatch(actor.claim(ELECTION, nonce), second);
    }

    @Test
    void a_latch_that_somebody_has_written_over_is_removed_by_the_next_claim_and_its_successor_is_kept()
            throws Exception {
        Nonce nonce = actor.nonce();
        actor.claim(ELECTION, nonce);
        String first = path + "/" + operator.latches(path).get(0);
        operator.client().setData(first, "something else".getBytes(StandardCharsets.UTF_8), -1);
        assertThat(claimAndLoseTheDeletion(nonce)).isInstanceOf(ClaimReply.Waiting.class);
        assertThat(operator.latches(path)).hasSize(2);
        long second = czxid(1);

        assertGrantedByTheOnlyLatch(actor.claim(ELECTION, nonce), second);
        assertGrantedByTheOnlyLatch(actor.claim(ELECTION, nonce), second);
    }
}
