// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Term;
import dev.tenure.zookeeper.claim.ParticipantOrder;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What went wrong elsewhere with the same store when something is not heard, or at the wrong moment, with the whole engine above
 * it. Numbers as in {@link PeerBugsTest}.
 */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class PeerBugsUnheardTest extends BehindProxy {
    private static final int STARTS = 20;
    private static final int FAULTS = 2;

    @Test
    void b10_a_leader_whose_latch_an_operator_removes_has_lost_its_term_before_its_next_renewal() throws Exception {
        Node node = node(SOON);
        Candidacy leader = node.stand("e");
        Term first = leading(leader);
        String latch = latch(0);
        Await.until("it is watched", () -> isWatched(latch));
        long renewals = node.gate.calls("renew");

        operator.remove(latch);
        Await.until("it has lost it", () -> node.lost().contains(first));

        assertThat(node.gate.calls("renew") - renewals).isLessThanOrEqualTo(1);
        assertThat(node.losses()).singleElement().isInstanceOf(Loss.Superseded.class);
    }

    private static boolean isWatched(String latch) {
        return Ensemble.shared().servers().stream()
                .anyMatch(server -> server.ask("wchp").contains(latch));
    }

    /** It hears of nothing, not even that its renewals fail; the one behind it hears at once. */
    @Test
    void b10_with_a_standoff_the_successor_of_a_removed_latch_begins_when_the_old_leader_has_stopped()
            throws Exception {
        Node one = node(SHORT);
        Node two = opened(new Node(url(proxy(1)), SHORT, true));
        CompletableFuture<Leadership> old = new CompletableFuture<>();
        Candidacy leader = one.tenure.elect("e").perform(leadership -> {
            old.complete(leadership);
            while (leadership.isActive()) {
                leadership.rest(Duration.ofMillis(10));
            }
        });
        Term first = leading(leader);
        CompletableFuture<List<Boolean>> seen = new CompletableFuture<>();
        Candidacy waiter = two.tenure.elect("e").perform(leadership -> {
            seen.complete(List.of(old.join().isValid(), old.join().isActive(), leader.isLeading()));
            leadership.rest(SOON);
        });
        Await.until("both stand", () -> operator.latches(path).size() == 2);
        Await.until(
                "the term is written down",
                () -> operator.data(path).contains(first.token().toString()));

        proxy.become(ZooKeeperProxy.State.CUT);
        operator.remove(latch(0));
        Term second = leading(waiter);

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(seen.get(SOON.toSeconds(), TimeUnit.SECONDS)).containsOnly(false);
    }

    /** Candidacies begin before the servers let this node in, while they do, and afterwards. */
    private List<Candidacy> startWhileConnecting(Node node) throws Exception {
        List<Candidacy> started = new ArrayList<>();
        proxy.become(ZooKeeperProxy.State.HELD);
        for (int i = 0; i < STARTS; i++) {
            started.add(node.stand("e" + started.size()));
        }
        Await.until("it has knocked", () -> proxy.requests() > 0);
        proxy.letGo();
        startUntil(() -> node.sessions() > 0, node, started);
        for (int i = 0; i < STARTS; i++) {
            started.add(node.stand("e" + started.size()));
        }
        return started;
    }

    private static void startUntil(Callable<Boolean> condition, Node node, List<Candidacy> started) throws Exception {
        while (!condition.call()) {
            started.add(node.stand("e" + started.size()));
            LockSupport.parkNanos(2_000_000);
        }
    }

    private void assertEachElectedOnceWithOneLatch(List<Candidacy> started, Node node) throws Exception {
        List<Term> terms = new ArrayList<>();
        for (Candidacy one : started) {
            Term term = leading(one);
            terms.add(term);
            assertOnlyLatch(one.election().value(), term);
        }
        node.live();

        assertThat(node.elected()).containsExactlyInAnyOrderElementsOf(terms);
        assertThat(node.lost()).isEmpty();
        for (int i = 0; i < terms.size(); i++) {
            assertThat(started.get(i).isLeading()).isTrue();
            assertOnlyLatch(started.get(i).election().value(), terms.get(i));
        }
    }

    @Test
    void b14_candidacies_that_begin_while_the_connection_does_have_one_latch_and_are_elected_once() throws Exception {
        Node node = node(TTL);

        List<Candidacy> started = startWhileConnecting(node);

        assertEachElectedOnceWithOneLatch(started, node);
    }

    @Test
    void b14_candidacies_that_begin_while_the_connection_is_lost_and_made_again_have_one_latch_and_are_elected_once()
            throws Exception {
        Node node = node(TTL);
        List<Candidacy> started = startWhileConnecting(node);

        for (int i = 0; i < 2; i++) {
            long before = proxy.welcomes();
            proxy.dropConnections();
            startUntil(() -> proxy.welcomes() > before, node, started);
        }

        assertEachElectedOnceWithOneLatch(started, node);
    }

    /** Its latch is the first, and nobody says so. */
    @Test
    void b17_a_waiter_whose_wake_up_was_dropped_leads_by_its_next_renewal_and_goes_on_leading() throws Exception {
        Node one = node(proxy(1), SHORT);
        Node two = node(SHORT);
        Candidacy leader = one.stand("e");
        Term first = leading(leader);
        Candidacy waiter = two.stand("e");
        awaitWatched(latch(0));
        proxy.become(ZooKeeperProxy.State.BLIND);

        leader.close();
        Await.until("the notification was dropped", () -> proxy.missed() > 0);
        long asked = two.gate.calls("claim");
        assertThat(operator.latches(path)).hasSize(1);
        Term second = leading(waiter);

        assertThat(two.gate.calls("claim") - asked).isLessThanOrEqualTo(1);
        two.live();
        assertThat(waiter.isLeading()).isTrue();
        assertOnlyLatch("e", second);
        assertThat(two.elected()).containsExactly(second);
        assertThat(two.lost()).isEmpty();
        assertThat(one.elected()).containsExactly(first);
        assertThat(one.lost()).containsExactly(first);
    }

    private static void awaitWatched(String latch) throws Exception {
        Await.until(
                "somebody else watches it too",
                () -> Ensemble.shared().servers().stream()
                                .filter(server -> server.ask("wchp").contains(latch))
                                .count()
                        == 2);
    }

    /** Neither hears that the latch has gone: not the leader, whose it was, and not the one who waits behind it. */
    @Test
    void b17_each_latch_that_goes_unheard_costs_one_term_and_brings_one() throws Exception {
        ZooKeeperProxy other = proxy(1);
        Node one = node(SHORT);
        Node two = node(other, SHORT);
        Candidacy first = one.stand("e");
        leading(first);
        Candidacy second = two.stand("e");
        Await.until("both stand", () -> operator.latches(path).size() == 2);

        for (int fault = 1; fault <= FAULTS; fault++) {
            proxy.become(ZooKeeperProxy.State.BLIND);
            other.become(ZooKeeperProxy.State.BLIND);
            String removed = operator.latches(path).get(0);
            awaitWatched(path + "/" + removed);
            long missed = proxy.missed() + other.missed();

            operator.remove(path + "/" + removed);
            Await.until("both notifications were dropped", () -> proxy.missed() + other.missed() >= missed + 2);
            Await.until("one leads, and knows it", () -> {
                List<String> latches = operator.latches(path);
                return latches.size() == 2
                        && (leadsWith(first, latches.get(0)) || leadsWith(second, latches.get(0)))
                        && first.isLeading() != second.isLeading();
            });
            one.live(two);

            assertThat(one.elected().size() + two.elected().size()).isEqualTo(fault + 1);
            assertThat(one.lost().size() + two.lost().size()).isEqualTo(fault);
        }
    }

    private static boolean leadsWith(Candidacy candidacy, String latch) {
        return candidacy.isLeading()
                && candidacy
                        .term()
                        .filter(term -> ParticipantOrder.isOf(latch, term.nonce()))
                        .isPresent();
    }
}
