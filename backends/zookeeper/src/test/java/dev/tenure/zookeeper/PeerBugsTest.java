// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.zookeeper.claim.ParticipantOrder;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What went wrong elsewhere with the same store, at the session door. Numbers are those of the catalogue of peer bugs. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class PeerBugsTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final ElectionName ELECTION = ElectionName.of("e");
    /** The client waits for half a second before each, on average. */
    private static final int STORM = 15;

    private final String base = "/bugs-" + UUID.randomUUID();
    private final String path = base + "/c/e";
    private final List<AutoCloseable> open = new ArrayList<>();
    private Operator operator;
    private ZooKeeperProxy proxy;

    @BeforeEach
    void connect() throws Exception {
        operator = opened(new Operator());
        proxy = opened(new ZooKeeperProxy(Ensemble.shared().servers().get(0)));
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private <T extends AutoCloseable> T opened(T one) {
        open.add(0, one);
        return one;
    }

    private Actor actor() throws Exception {
        return opened(Actor.open(Ensemble.shared().url(base), TTL));
    }

    private Actor behindProxy() throws Exception {
        return opened(Actor.open("zk://" + proxy.address() + base + "?tick=200ms", TTL));
    }

    private static Term term(ClaimReply.Granted grant) {
        return new Term(ELECTION, grant.token(), grant.nonce(), "actor");
    }

    private static ClaimRequest request(Nonce nonce) {
        return new ClaimRequest(ELECTION, nonce, 0, "actor", LeaderMetadata.EMPTY);
    }

    private static ClaimReply claimUntilAnswered(Actor actor, Nonce nonce) throws Exception {
        List<ClaimReply> replies = new ArrayList<>();
        Await.until("the claim is answered", () -> {
            try {
                replies.add(actor.claim(ELECTION, nonce));
            } catch (ExecutionException lostConnection) {
                return false;
            }
            return true;
        });
        return replies.get(0);
    }

    /** When the first one was looked at it was alone; by the time that this is heard, somebody stands in front of the second. */
    @Test
    void b02_what_was_read_for_one_attempt_is_not_taken_for_the_next() throws Exception {
        Actor actor = opened(new Actor("zk://" + proxy.address() + base + "?tick=200ms"));
        actor.openWithoutRenewing(Duration.ofSeconds(40)); // one that renews would turn to another server
        actor.stoodBefore(ELECTION);
        Actor rival = actor();
        Nonce first = actor.nonce();
        Nonce second = actor.nonce();
        proxy.become(ZooKeeperProxy.State.HELD);

        CompletableFuture<ClaimReply> before = actor.send(() -> actor.session().claim(request(first)));
        Await.until("it was alone", () -> operator.latches(path).size() == 1);
        assertThat(rival.claim(ELECTION, rival.nonce())).isInstanceOf(ClaimReply.Waiting.class);
        CompletableFuture<ClaimReply> after = actor.send(() -> actor.session().claim(request(second)));
        proxy.letGo();

        assertThat(before)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("overtaken");
        assertThat(after.get(30, TimeUnit.SECONDS)).isInstanceOf(ClaimReply.Waiting.class);
        Await.until("the rival leads", () -> !rival.heard.grants().isEmpty());
        assertThat(actor.heard.grants()).isEmpty();
        assertThat(operator.latches(path)).hasSize(2);
        assertThat(operator.latches(path).get(1)).matches(name -> ParticipantOrder.isOf(name, second));
    }

    @Test
    void b03_a_new_session_does_not_lead_on_the_latch_of_its_old_one() throws Exception {
        Actor before = actor();
        ClaimReply.Granted old = before.take(ELECTION);
        Actor restarted = actor();

        for (int i = 0; i < 2; i++) {
            assertThat(restarted.claim(ELECTION, old.nonce())).isInstanceOf(ClaimReply.Waiting.class);
        }
        assertThat(operator.latches(path)).hasSize(2).allMatch(name -> ParticipantOrder.isOf(name, old.nonce()));
        assertThat(restarted.heard.grants()).isEmpty();
        long czxid = operator.czxid(path + "/" + operator.latches(path).get(1));
        before.ask(() -> before.session().close());

        Await.until(
                "the new latch came to the front",
                () -> !restarted.heard.grants().isEmpty());
        assertThat(restarted.heard.grants().get(0).token()).isGreaterThan(old.token());
        assertThat(restarted.heard.grants().get(0).token().sequence()).isEqualTo(czxid);
    }

    @Test
    void b06_b13_a_creation_whose_answer_was_lost_is_found_again_and_not_doubled() throws Exception {
        Actor actor = behindProxy();
        actor.stoodBefore(ELECTION);
        Nonce nonce = actor.nonce();
        proxy.become(ZooKeeperProxy.State.DEAF);
        CompletableFuture<ClaimReply> unanswered =
                actor.send(() -> actor.session().claim(request(nonce)));
        Await.until("the creation took effect", () -> operator.latches(path).size() == 1);

        proxy.become(ZooKeeperProxy.State.UP);
        assertThat(unanswered).failsWithin(Duration.ofSeconds(30));
        ClaimReply again = claimUntilAnswered(actor, nonce);

        assertThat(operator.latches(path)).hasSize(1).allMatch(name -> ParticipantOrder.isOf(name, nonce));
        assertThat(((ClaimReply.Granted) again).token().sequence())
                .isEqualTo(operator.czxid(path + "/" + operator.latches(path).get(0)));
    }

    @Test
    void b07_a_storm_of_reconnections_leaves_one_latch_for_each_candidate() throws Exception {
        List<ZooKeeperProxy> ways =
                List.of(proxy, opened(new ZooKeeperProxy(server(1))), opened(new ZooKeeperProxy(server(2))));
        String addresses = ways.stream().map(ZooKeeperProxy::address).collect(Collectors.joining(","));
        Actor storm = opened(Actor.open("zk://" + addresses + base + "?tick=200ms", TTL));
        Actor calm = actor();
        Nonce waiting = calm.nonce();
        for (int i = 0; i < STORM; i++) {
            long before = welcomes(ways);
            Nonce nonce = storm.nonce();
            storm.send(() -> storm.session().claim(request(nonce)));
            ways.forEach(ZooKeeperProxy::dropConnections);
            Await.until("it is back", () -> welcomes(ways) > before);
        }
        Nonce last = storm.nonce();

        assertThat(claimUntilAnswered(storm, last)).isInstanceOf(ClaimReply.Granted.class);
        assertThat(claimUntilAnswered(calm, waiting)).isInstanceOf(ClaimReply.Waiting.class);

        assertThat(operator.latches(path)).hasSize(2);
        assertThat(operator.latches(path).get(0)).matches(name -> ParticipantOrder.isOf(name, last));
        assertThat(operator.latches(path).get(1)).matches(name -> ParticipantOrder.isOf(name, waiting));
        assertThat(storm.heard.losses()).isEmpty();
    }

    private static Server server(int number) {
        return Ensemble.shared().servers().get(number);
    }

    private static long welcomes(List<ZooKeeperProxy> ways) {
        return ways.stream().mapToLong(ZooKeeperProxy::welcomes).sum();
    }

    @Test
    void b10_a_leader_whose_latch_an_operator_removes_is_told_at_once() throws Exception {
        Actor leader = actor();
        ClaimReply.Granted grant = leader.take(ELECTION);
        String latch = path + "/" + operator.latches(path).get(0);
        Await.until(
                "its watch is set",
                () -> Ensemble.shared().servers().stream()
                        .anyMatch(server -> server.ask("wchp").contains(latch)));

        operator.remove(latch);

        Await.until("it was told", () -> leader.heard.changes().contains(ELECTION));
        assertThat(leader.ask(() -> leader.session().holds(term(grant)))).isFalse();
        ClaimReply.Granted next = leader.take(ELECTION);
        assertThat(next.token()).isGreaterThan(grant.token());
    }

    @Test
    void b14_a_claim_that_is_repeated_before_its_answer_makes_one_latch() throws Exception {
        Actor actor = actor();
        Nonce nonce = actor.nonce();
        List<CompletableFuture<ClaimReply>> claims = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            claims.add(actor.send(() -> actor.session().claim(request(nonce))));
        }

        ClaimReply last = claims.get(4).get(30, TimeUnit.SECONDS);

        assertThat(last).isInstanceOf(ClaimReply.Granted.class);
        assertThat(operator.latches(path)).hasSize(1);
    }

    @Test
    void b16_a_session_that_the_servers_have_ended_is_lost_as_soon_as_they_are_reached_again() throws Exception {
        Actor leader = opened(Actor.open("zk://" + proxy.address() + base + "?tick=200ms", Duration.ofSeconds(1)));
        ClaimReply.Granted grant = leader.take(ELECTION);

        proxy.become(ZooKeeperProxy.State.CUT);
        Await.until("the servers have ended it", () -> operator.latches(path).isEmpty());
        assertThat(leader.heard.losses()).as("nobody guesses").isEmpty();
        proxy.become(ZooKeeperProxy.State.UP);

        Await.until("it was told", () -> !leader.heard.losses().isEmpty());
        assertThat(leader.ask(() -> leader.session().holds(term(grant)))).isFalse();
        assertThat(leader.ask(() -> leader.session().renew())).isInstanceOf(RenewReply.Gone.class);
    }

    @Test
    void b18_b19_a_candidate_whose_session_ends_while_it_waits_is_not_elected() throws Exception {
        Actor leader = actor();
        Actor waiter = actor();
        Actor third = actor();
        ClaimReply.Granted grant = leader.take(ELECTION);
        waiter.claim(ELECTION, waiter.nonce());
        third.claim(ELECTION, third.nonce());

        waiter.ask(() -> waiter.session().close());
        leader.ask(() -> leader.session().release(ELECTION, grant.nonce()));

        Await.until("the third is elected", () -> !third.heard.grants().isEmpty());
        assertThat(waiter.heard.grants()).isEmpty();
    }

    @Test
    void b21_b22_a_release_whose_answer_was_lost_is_repeated_without_harm_to_the_next_term() throws Exception {
        Actor actor = behindProxy();
        ClaimReply.Granted first = actor.take(ELECTION);
        proxy.become(ZooKeeperProxy.State.DEAF);
        CompletableFuture<ReleaseReply> unanswered =
                actor.send(() -> actor.session().release(ELECTION, first.nonce()));
        Await.until("the release took effect", () -> operator.latches(path).isEmpty());
        proxy.become(ZooKeeperProxy.State.UP);
        assertThat(unanswered).failsWithin(Duration.ofSeconds(30));

        Nonce second = actor.nonce();
        ClaimReply.Granted next = (ClaimReply.Granted) claimUntilAnswered(actor, second);
        ReleaseReply late = actor.ask(() -> actor.session().release(ELECTION, first.nonce()));

        assertThat(late).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(actor.ask(() -> actor.session().holds(term(next)))).isTrue();
    }

    @Test
    void era_raised_while_one_waits_lifts_its_token() throws Exception {
        Actor leader = actor();
        Actor waiter = actor();
        ClaimReply.Granted grant = leader.take(ELECTION);
        waiter.claim(ELECTION, waiter.nonce());

        leader.ask(() -> leader.backend().raiseEra(7));
        leader.ask(() -> leader.session().release(ELECTION, grant.nonce()));

        Await.until("the waiter is elected", () -> !waiter.heard.grants().isEmpty());
        assertThat(waiter.heard.grants().get(0).token().era()).isEqualTo(7);
    }
}
