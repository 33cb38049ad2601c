// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.zookeeper.claim.ParticipantOrder;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server has handed on and the others have yet to agree on. */
@Tag("server")
@Timeout(180)
class UndecidedTest {
    /** Longer than this test: one that renews would turn from server to server. */
    private static final Duration TTL = Duration.ofSeconds(40);

    /** Otherwise ZooKeeper's leader lets a client of its own wait for what the same session has asked of a follower. */
    private static final String LEADER_KEEPS_NO_ORDER_FOR_CLIENTS_OF_OTHERS =
            "-Dzookeeper.forward_learner_requests_to_commit_processor_disabled=true";

    private Ensemble ensemble;
    private Server leading;
    private Server follower;
    private Server third;

    @BeforeEach
    void startServers() {
        ensemble = Ensemble.start(List.of(), List.of(LEADER_KEEPS_NO_ORDER_FOR_CLIENTS_OF_OTHERS));
        leading = ensemble.leader();
        List<Server> others =
                ensemble.servers().stream().filter(server -> server != leading).toList();
        follower = others.get(0);
        third = others.get(1);
    }

    @AfterEach
    void stopServers() {
        ensemble.close();
    }

    /** If not, it is sent there. */
    private static boolean isOn(ZooKeeperProxy wanted, Actor actor, ZooKeeperProxy other) throws Exception {
        long before = wanted.requests();
        try {
            actor.ask(() -> actor.session().renew());
        } catch (ExecutionException onItsWay) {
            return false;
        }
        if (wanted.requests() == before) {
            other.dropConnections();
        }
        return wanted.requests() > before;
    }

    /**
     * A follower has handed the creation on, and its client goes to the leader of ZooKeeper. That does not wait for what is
     * proposed when one of its own clients asks for a sync, so a look behind a sync would find nothing, and there would be two.
     */
    @Test
    void b06_b13_a_creation_that_the_servers_have_yet_to_agree_on_is_not_doubled() throws Exception {
        try (ZooKeeperProxy first = new ZooKeeperProxy(follower);
                ZooKeeperProxy second = new ZooKeeperProxy(leading);
                Operator operator = new Operator(leading.address());
                Actor actor = new Actor("zk://" + first.address() + "," + second.address() + "/undecided?tick=200ms")) {
            actor.openWithoutRenewing(TTL);
            Await.until("it is connected to the follower", () -> isOn(first, actor, second));
            ClaimRequest claim =
                    new ClaimRequest(ElectionName.of("e"), actor.nonce(), 0, "actor", LeaderMetadata.EMPTY);
            actor.stoodBefore(claim.election());
            follower.holdJournal();
            third.kill();
            long before = leading.counter("zk_proposal_count");
            CompletableFuture<ClaimReply> unanswered =
                    actor.send(() -> actor.session().claim(claim));
            Await.until("it was proposed", () -> leading.counter("zk_proposal_count") > before);

            first.close();
            assertThat(unanswered).failsWithin(TTL);
            long then = leading.counter("zk_proposal_count");
            CompletableFuture<ClaimReply> again =
                    actor.send(() -> actor.session().claim(claim));
            Await.until("something behind it was proposed", () -> leading.counter("zk_proposal_count") > then);
            follower.letJournalGo();

            ClaimReply reply = again.get(TTL.toSeconds(), TimeUnit.SECONDS);
            String latch = operator.latches("/undecided/c/e").get(0);
            assertThat(operator.latches("/undecided/c/e")).hasSize(1);
            assertThat(latch).matches(name -> ParticipantOrder.isOf(name, claim.nonce()));
            assertThat(((ClaimReply.Granted) reply).token().sequence())
                    .isEqualTo(operator.czxid("/undecided/c/e/" + latch));
        }
    }
}
