// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.Tenure;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A candidate of Tenure and Curator's LeaderLatch in one election. */
@Tag("server")
class CuratorInteropTest {
    private static final Duration TTL = Duration.ofSeconds(3);

    private final String services = "/services-" + UUID.randomUUID();
    private final String path = services + "/billing";
    private final List<Tenure> tenures = new ArrayList<>();
    private final List<LeaderLatch> latches = new ArrayList<>();
    private final List<String> leaders = new CopyOnWriteArrayList<>();
    private final List<String> changes = new CopyOnWriteArrayList<>();
    private CuratorFramework curator;

    @BeforeEach
    void connectCurator() throws Exception {
        curator = CuratorFrameworkFactory.newClient(Ensemble.shared().addresses(), 5000, 5000, new RetryOneTime(100));
        curator.start();
        curator.blockUntilConnected(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void closeAll() throws Exception {
        tenures.forEach(Tenure::close);
        for (LeaderLatch latch : latches) {
            if (latch.getState() == LeaderLatch.State.STARTED) {
                latch.close();
            }
        }
        curator.close();
    }

    private Candidacy tenure(String node) {
        Tenure tenure = Tenure.connect(Ensemble.shared().url("/interop") + "&elections=" + services)
                .node(node)
                .ttl(TTL)
                .open();
        tenures.add(tenure);
        return tenure.elect("billing").perform(leadership -> {
            leaders.add(node);
            changes.add(node + " begins");
            while (leadership.isActive()) {
                leadership.rest(TTL);
            }
            changes.add(node + " ends");
        });
    }

    private LeaderLatch latch(String id) throws Exception {
        LeaderLatch latch = new LeaderLatch(curator, path, id);
        latches.add(latch);
        latch.addListener(new LeaderLatchListener() {
            @Override
            public void isLeader() {
                changes.add(id + " begins");
            }

            @Override
            public void notLeader() {}
        });
        latch.start();
        return latch;
    }

    private void awaitStanding(int count) throws Exception {
        Await.until(count + " stand", () -> children() == count);
    }

    private int children() throws Exception {
        return curator.checkExists().forPath(path) == null
                ? 0
                : curator.getChildren().forPath(path).size();
    }

    @Test
    void leadership_passes_both_ways_in_order_and_never_overlaps() throws Exception {
        Candidacy first = tenure("tenure-1");
        Await.until("the first leads", first::isLeading);
        LeaderLatch second = latch("curator-2");
        awaitStanding(2);
        Candidacy third = tenure("tenure-3");
        awaitStanding(3);
        LeaderLatch fourth = latch("curator-4");
        awaitStanding(4);
        assertOneLeads(first.isLeading(), second.hasLeadership(), third.isLeading(), fourth.hasLeadership());

        first.close();
        Await.until("Curator leads after Tenure", () -> changes.contains("curator-2 begins"));
        assertOneLeads(first.isLeading(), second.hasLeadership(), third.isLeading(), fourth.hasLeadership());

        changes.add("curator-2 ends");
        second.close();
        Await.until("Tenure leads after Curator", third::isLeading);
        assertOneLeads(first.isLeading(), second.hasLeadership(), third.isLeading(), fourth.hasLeadership());

        third.close();
        Await.until("and Curator again", fourth::hasLeadership);
        assertThat(leaders).containsExactly("tenure-1", "tenure-3");
        Await.until("all was told", () -> changes.contains("curator-4 begins"));
        assertThat(changes)
                .containsExactly(
                        "tenure-1 begins",
                        "tenure-1 ends",
                        "curator-2 begins",
                        "curator-2 ends",
                        "tenure-3 begins",
                        "tenure-3 ends",
                        "curator-4 begins");
    }

    private static void assertOneLeads(boolean... leading) {
        int count = 0;
        for (boolean one : leading) {
            count += one ? 1 : 0;
        }
        assertThat(count).as("leaders").isEqualTo(1);
    }

    @Test
    void each_sees_the_other_as_a_participant_and_as_the_leader() throws Exception {
        LeaderLatch peer = latch("curator-1");
        Await.until("Curator leads", peer::hasLeadership);
        Candidacy waiting = tenure("tenure-2");
        awaitStanding(2);

        Leader seen = tenures.get(0)
                .leaderOf("billing")
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS)
                .orElseThrow();
        assertThat(seen.node()).isEqualTo("curator-1");
        assertThat(seen.token().sequence())
                .isEqualTo(curator.checkExists()
                        .forPath(peer.getLastPathIsLeader())
                        .getCzxid());
        assertThat(peer.getParticipants())
                .anySatisfy(participant -> assertThat(participant.getId()).contains("holder=tenure-2"));

        peer.close();
        Await.until("Tenure leads", waiting::isLeading);
        LeaderLatch observer = latch("curator-3");
        awaitStanding(2);
        assertThat(observer.getLeader().getId()).contains("holder=tenure-2");
        assertThat(observer.hasLeadership()).isFalse();
    }

    @Test
    void a_peer_is_foreign_and_no_request_is_left_for_it() throws Exception {
        LeaderLatch peer = latch("curator-1");
        Await.until("Curator leads", peer::hasLeadership);
        Candidacy waiting = tenure("tenure-2");
        awaitStanding(2);

        Leader asked = askToResign();
        boolean left = curator.checkExists().forPath("/interop/o/billing") != null;
        peer.close();
        Await.until("Tenure leads", waiting::isLeading);
        Leader own = tenures.get(0)
                .leaderOf("billing")
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS)
                .orElseThrow();

        assertThat(asked.foreign()).contains(new Leader.Foreign(false, "stop its process"));
        assertThat(left).as("a request is left").isFalse();
        assertThat(own.foreign()).isEmpty();
    }

    private Leader askToResign() throws Exception {
        return tenures.get(0)
                .askToResign("billing")
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS)
                .orElseThrow();
    }

    @Test
    void a_peer_that_dies_is_followed_when_its_session_has_ended_and_tokens_grow() throws Exception {
        CuratorFramework dying =
                CuratorFrameworkFactory.newClient(Ensemble.shared().addresses(), 2000, 2000, new RetryOneTime(100));
        dying.start();
        LeaderLatch peer = new LeaderLatch(dying, path, "dying");
        peer.start();
        Await.until("Curator leads", peer::hasLeadership);
        long before = dying.checkExists().forPath(peer.getLastPathIsLeader()).getCzxid();
        Candidacy next = tenure("next");
        awaitStanding(2);
        assertThat(next.isLeading()).isFalse();

        Operator.endSession(
                Ensemble.shared().addresses(),
                dying.getZookeeperClient().getZooKeeper().getSessionId());

        Await.until("Tenure leads", next::isLeading);
        Optional<Leader> leader =
                tenures.get(0).leaderOf("billing").toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(leader.orElseThrow().token().sequence()).isGreaterThan(before);
        dying.close();
    }

    @Test
    void a_container_that_a_peer_made_may_vanish_and_the_token_does_not_go_back() throws Exception {
        LeaderLatch peer = latch("curator");
        Await.until("Curator leads", peer::hasLeadership);
        try (Actor actor = Actor.open(Ensemble.shared().url("/interop") + "&elections=" + services, TTL)) {
            ElectionName election = ElectionName.of("billing");
            peer.close();
            Await.until("its latch is gone, which Curator does not wait for", () -> children() == 0);
            var first = actor.take(election);
            actor.ask(() -> actor.session().release(election, first.nonce()));
            curator.delete().forPath(path);

            var second = actor.take(election);

            assertThat(second.token()).isGreaterThan(first.token());
            assertThat(children()).isEqualTo(1);
        }
    }
}
