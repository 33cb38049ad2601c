// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Who looks because it was told that the latch in front has gone need not ask ZooKeeper's leader first; all others do. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class NotifiedLookTest {
    private static final ElectionName ELECTION = ElectionName.of("e");
    /** Nobody renews here, so that only what is looked for comes by. */
    private static final Duration TTL = Duration.ofSeconds(30);

    private static final int SYNC = 9;
    private static final int PING = 11;
    private static final int MULTI_READ = 22;

    private final String base = "/notified-" + UUID.randomUUID();
    private final String path = base + "/c/e";
    private Operator operator;
    private ZooKeeperProxy proxy;
    private Actor leader;
    private Actor waiter;
    private ClaimReply.Granted grant;
    private Nonce waiting;
    private int asked;

    @BeforeEach
    void oneLeadsAndOneWaits() throws Exception {
        operator = new Operator();
        proxy = new ZooKeeperProxy(Ensemble.shared().servers().get(0));
        leader = new Actor(Ensemble.shared().url(base));
        leader.openWithoutRenewing(TTL);
        waiter = new Actor("zk://" + proxy.address() + base + "?tick=200ms");
        waiter.openWithoutRenewing(TTL);
        grant = leader.take(ELECTION);
        waiting = waiter.nonce();
        assertThat(waiter.claim(ELECTION, waiting)).isInstanceOf(ClaimReply.Waiting.class);
        asked = proxy.kinds().size();
    }

    @AfterEach
    void closeAll() throws Exception {
        waiter.close();
        leader.close();
        proxy.close();
        operator.close();
    }

    private void leave() throws Exception {
        leader.ask(() -> leader.session().release(ELECTION, grant.nonce()));
    }

    /** What the waiter has asked for since it began to wait, or since it was asked to do something else. */
    private List<Integer> kinds() {
        List<Integer> all = proxy.kinds();
        return all.subList(asked, all.size()).stream()
                .filter(kind -> kind != PING)
                .toList();
    }

    private String latch(int place) throws Exception {
        return path + "/" + operator.latches(path).get(place);
    }

    @Test
    void a_look_behind_the_notification_is_one_request() throws Exception {
        leave();

        Await.until("it is elected", () -> !waiter.heard.grants().isEmpty());
        assertThat(kinds()).startsWith(MULTI_READ).doesNotContain(SYNC);
    }

    @Test
    void who_is_elected_by_it_has_the_number_of_its_own_latch_as_token() throws Exception {
        long czxid = operator.client().exists(latch(1), false).getCzxid();

        leave();

        Await.until("it is elected", () -> !waiter.heard.grants().isEmpty());
        ClaimReply.Granted elected = waiter.heard.grants().get(0);
        assertThat(elected.token().sequence()).isEqualTo(czxid);
        assertThat(elected.nonce()).isEqualTo(waiting);
    }

    @Test
    void who_asks_again_without_having_been_told_anything_waits_on_and_nobody_is_asked() throws Exception {
        ClaimReply.Waiting answer = (ClaimReply.Waiting) waiter.claim(ELECTION, waiting);

        assertThat(answer.holder().orElseThrow().token()).isEqualTo(grant.token());
        assertThat(kinds()).isEmpty();
    }

    @Test
    void who_asks_again_after_a_reconnection_asks_the_leader_first() throws Exception {
        proxy.dropConnections();

        Await.until("it has looked", () -> {
            waiter.send(() ->
                    waiter.session().claim(new ClaimRequest(ELECTION, waiting, 0, "actor", LeaderMetadata.EMPTY)));
            return kinds().contains(MULTI_READ);
        });
        assertThat(kinds()).containsSubsequence(SYNC, MULTI_READ);
    }

    @Test
    void who_asks_again_after_its_latch_was_removed_gets_a_new_one() throws Exception {
        String own = latch(1);
        operator.remove(own);
        Await.until("it was told", () -> waiter.heard.changes().contains(ELECTION));

        assertThat(waiter.claim(ELECTION, waiting)).isInstanceOf(ClaimReply.Waiting.class);

        assertThat(operator.latches(path)).hasSize(2).doesNotContain(own.substring(path.length() + 1));
    }

    @Test
    void whether_a_term_still_holds_is_asked_of_the_leader_first() throws Exception {
        leave();
        Await.until("it is elected", () -> !waiter.heard.grants().isEmpty());
        FencingToken token = waiter.heard.grants().get(0).token();
        Await.until("its note is written", () -> operator.data(path).contains(token.toString()));
        asked = proxy.kinds().size();

        waiter.ask(() -> waiter.session().holds(new Term(ELECTION, token, waiting, "actor")));

        assertThat(kinds()).startsWith(SYNC, MULTI_READ);
    }

    @Test
    void who_was_told_that_its_own_latch_has_gone_asks_nobody_whether_its_term_holds() throws Exception {
        leave();
        Await.until("it is elected", () -> !waiter.heard.grants().isEmpty());
        FencingToken token = waiter.heard.grants().get(0).token();
        Await.until("its note is written", () -> operator.data(path).contains(token.toString()));
        operator.remove(latch(0));
        Await.until("it was told", () -> waiter.heard.changes().contains(ELECTION));
        asked = proxy.kinds().size();

        boolean holds = waiter.ask(() -> waiter.session().holds(new Term(ELECTION, token, waiting, "actor")));

        assertThat(holds).isFalse();
        assertThat(kinds()).isEmpty();
    }

    @Test
    void that_the_latch_in_front_has_changed_is_no_proof_that_it_has_gone() throws Exception {
        operator.touch(latch(0));

        Await.until("it has looked", () -> kinds().contains(MULTI_READ));
        assertThat(kinds()).startsWith(SYNC, MULTI_READ);
        leave();
        Await.until("it is elected", () -> !waiter.heard.grants().isEmpty());
        // The first look may still be under way: then both prove it, and the same is told twice.
        assertThat(waiter.heard.grants()).containsOnly(waiter.heard.grants().get(0));
    }

    /** The same name, the same text, the first in the queue: only the number of the znode and its owner are others. */
    @Test
    void who_is_told_and_finds_a_latch_that_somebody_else_made_in_its_place_is_not_elected() throws Exception {
        String own = latch(1);
        String text = operator.data(own);
        operator.remove(own);
        operator.create(own, text);
        Await.until(
                "it has heard that its own latch went",
                () -> waiter.heard.changes().size() == 1);

        leave();

        Await.until("it has looked", () -> waiter.heard.changes().size() == 2);
        assertThat(waiter.heard.grants()).isEmpty();
    }

    @Test
    void who_is_told_on_a_new_connection_what_it_missed_on_the_old_one_is_elected() throws Exception {
        proxy.become(ZooKeeperProxy.State.CUT);
        leave();
        proxy.become(ZooKeeperProxy.State.UP);

        Await.until("it is elected", () -> !waiter.heard.grants().isEmpty());
        assertThat(waiter.heard.losses()).isEmpty();
    }
}
