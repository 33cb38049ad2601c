// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.NotLeadingException;
import dev.tenure.Term;
import dev.tenure.zookeeper.claim.ParticipantOrder;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What went wrong elsewhere with the same store when answers come late and sessions are lost, with the whole engine above it.
 * Numbers as in {@link PeerBugsTest}.
 */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class PeerBugsBehindProxyTest extends BehindProxy {
    /** The second one breaks as soon as the client was let in by the first. */
    private void reconnectTwice() throws Exception {
        for (int i = 0; i < 2; i++) {
            long before = proxy.welcomes();
            proxy.dropConnections();
            Await.until("it is back", () -> proxy.welcomes() > before);
        }
    }

    @Test
    void b01_the_answer_to_a_deletion_that_comes_after_two_reconnections_and_the_next_grant_ends_nothing()
            throws Exception {
        Node node = node(TTL);
        Candidacy leader = node.stand("e");
        Term first = leading(leader);

        try (Witness witness = new Witness(leader, path)) {
            Gate.Held deleted = node.gate.holdNext("release");
            leader.resign("to have its latch deleted");
            Await.until("the servers have said that it is", deleted::hasCome);
            reconnectTwice();
            Term second = leading(leader);
            deleted.letGo();
            node.live();

            assertThat(leader.isLeading()).isTrue();
            assertOnlyLatch("e", second);
            assertThat(node.elected()).containsExactly(first, second);
            assertThat(node.lost()).containsExactly(first);
            assertThat(second.token()).isGreaterThan(first.token());
            witness.assertNeverLedWithoutLatch();
        }
    }

    /** What became of the deletion is found out on the first new connection, which breaks too. */
    @Test
    void b01_two_reconnections_before_the_answer_to_a_deletion_leave_the_leader_with_its_own_latch() throws Exception {
        Node node = node(TTL);
        Candidacy leader = node.stand("e");
        Term first = leading(leader);

        try (Witness witness = new Witness(leader, path)) {
            proxy.become(ZooKeeperProxy.State.HELD);
            leader.resign("to have its latch deleted");
            Await.until("it is", () -> operator.latches(path).isEmpty());
            proxy.become(ZooKeeperProxy.State.UP);
            reconnectTwice();
            Term second = leading(leader);
            node.live();

            assertThat(leader.isLeading()).isTrue();
            assertOnlyLatch("e", second);
            assertThat(node.elected()).containsExactly(first, second);
            assertThat(node.lost()).containsExactly(first);
            witness.assertNeverLedWithoutLatch();
        }
    }

    @Test
    void b01_two_reconnections_in_quick_succession_cost_a_leader_nothing() throws Exception {
        Node node = node(TTL);
        Candidacy leader = node.stand("e");
        Term term = leading(leader);

        try (Witness witness = new Witness(leader, path)) {
            reconnectTwice();
            node.live();

            assertThat(leader.isLeading()).isTrue();
            assertOnlyLatch("e", term);
            assertThat(node.elected()).containsExactly(term);
            assertThat(node.lost()).isEmpty();
            witness.assertNeverLedWithoutLatch();
        }
    }

    /** The server does not say that the old session is gone: it hands out another one, and the old latch stays for a while. */
    @Test
    void b03_b16_a_leader_that_gets_another_session_has_lost_its_term_and_leads_with_a_new_latch_only()
            throws Exception {
        Node node = node(TTL);
        List<Leadership> duties = new CopyOnWriteArrayList<>();
        Candidacy leader = node.tenure.elect("e").perform(leadership -> {
            duties.add(leadership);
            while (leadership.isActive()) {
                leadership.rest(Duration.ofMillis(10));
            }
        });
        Term first = leading(leader);
        String oldLatch = latch(0);
        long oldSession = operator.owner(oldLatch);

        proxy.become(ZooKeeperProxy.State.FORGETFUL);
        proxy.dropConnections();
        ZooKeeper keeper = opened(Operator.adopt(Ensemble.shared().addresses(), oldSession));
        Await.until("it has lost its term", () -> node.lost().contains(first));
        assertThat(duties.get(0).isValid()).isFalse();
        assertThat(node.losses()).singleElement().isInstanceOf(Loss.SessionLost.class);
        proxy.letGo();
        Await.until("it stands again", () -> operator.latches(path).size() == 2);
        node.live();

        assertThat(operator.has(oldLatch)).isTrue();
        assertThat(node.elected()).containsExactly(first);
        String newLatch = latch(1);
        assertThat(operator.owner(newLatch)).isNotEqualTo(oldSession);
        long czxid = operator.czxid(newLatch);
        keeper.close();

        Term second = leading(leader);
        assertOnlyLatch("e", second);
        assertThat(second.token().sequence()).isEqualTo(czxid);
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(duties.get(0).isValid()).isFalse();
        assertThat(node.elected()).containsExactly(first, second);
    }

    /** Somebody else keeps the old session alive, as servers do for a while that a client cannot reach. */
    @Test
    void b04_a_lock_waits_for_the_latch_of_its_own_old_session_to_go_and_is_held_with_a_new_one() throws Exception {
        Node node = node(SHORT);
        CompletableFuture<Leadership> before = new CompletableFuture<>();
        CompletableFuture<Void> lost = inBackground(() -> node.tenure.exclusively("e", SOON, leadership -> {
            before.complete(leadership);
            leadership.rest(SOON);
        }));
        Leadership old = before.get(SOON.toSeconds(), TimeUnit.SECONDS);
        String oldLatch = latch(0);
        long oldSession = operator.owner(oldLatch);

        proxy.become(ZooKeeperProxy.State.CUT);
        ZooKeeper keeper = Operator.adopt(Ensemble.shared().addresses(), oldSession);
        opened(keeper);
        assertThat(lost).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(NotLeadingException.class);
        Await.until("it has given the session up, and cannot say so", () -> node.gate.calls("close") > 0);
        // Not on its next connection either, where ZooKeeper's client would send what is left of the old session.
        proxy.dropConnections();
        proxy.become(ZooKeeperProxy.State.FORGETFUL);
        proxy.dropConnections();

        assertThatThrownBy(() -> node.tenure.exclusively("e", SHORT, leadership -> {
                    throw new AssertionError("two hold it");
                }))
                .isInstanceOf(TimeoutException.class);
        CompletableFuture<Leadership> after = new CompletableFuture<>();
        CompletableFuture<Boolean> mayEnd = new CompletableFuture<>();
        CompletableFuture<Void> waiting = inBackground(() -> node.tenure.exclusively("e", SOON, leadership -> {
            after.complete(leadership);
            mayEnd.join();
        }));
        Await.until("it waits", () -> operator.latches(path).size() == 2);
        node.live();

        assertThat(operator.has(oldLatch)).isTrue();
        assertThat(after).isNotDone();
        String newLatch = latch(1);
        assertThat(operator.owner(newLatch)).isNotEqualTo(oldSession);
        long czxid = operator.czxid(newLatch);

        keeper.close();
        Leadership held = after.get(SOON.toSeconds(), TimeUnit.SECONDS);

        assertThat(old.isValid()).isFalse();
        assertThat(operator.has(oldLatch)).isFalse();
        assertThat(newLatch)
                .matches(latch ->
                        ParticipantOrder.isOf(Paths.name(latch), held.term().nonce()));
        assertThat(held.token().sequence()).isEqualTo(czxid);
        assertThat(held.token()).isGreaterThan(old.token());
        mayEnd.complete(true);
        waiting.join();
        assertThat(operator.latches(path)).isEmpty();
    }

    private static CompletableFuture<Void> inBackground(ThrowingRunnable task) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private interface ThrowingRunnable {
        void run() throws Exception;
    }

    @Test
    void b06_the_answer_to_the_first_of_three_sessions_that_comes_last_is_not_believed() throws Exception {
        Node node = node(TTL);
        Gate.Held created = node.gate.holdNext("claim");
        Candidacy leader = node.stand("e");
        Await.until("the first latch was created", created::hasCome);
        endSession();
        Term second = leading(leader);
        endSession();
        Await.until("its term is over", () -> node.lost().contains(second));
        Term third = leading(leader);

        try (Witness witness = new Witness(leader, path)) {
            created.letGo();
            node.live();

            assertThat(node.sessions()).isEqualTo(3);
            assertThat(leader.isLeading()).isTrue();
            assertOnlyLatch("e", third);
            assertThat(node.elected()).containsExactly(second, third);
            assertThat(node.lost()).containsExactly(second);
            witness.assertNeverLedWithoutLatch();
        }
    }

    private void endSession() throws Exception {
        String latch = latch(0);
        Operator.endSession(Ensemble.shared().addresses(), operator.owner(latch));
    }
}
