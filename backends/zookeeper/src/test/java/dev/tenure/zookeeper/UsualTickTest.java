// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What is promised of time, with the tick that servers usually have and a TTL of five of them. */
@Tag("server")
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UsualTickTest {
    private static final Duration TICK = Duration.ofSeconds(2);
    private static final Duration TTL = TICK.multipliedBy(5);
    /** Without a renewal a term has ended by then: 0.72 of the TTL are usable. */
    private static final Duration BELIEF = TTL.multipliedBy(3).dividedBy(4);

    /** What a busy machine may add. A session timeout of 1.25 × TTL and half a tick would exceed it. */
    private static final Duration SLACK = Duration.ofMillis(1400);

    private static final ElectionName ELECTION = ElectionName.of("e");

    private Ensemble ensemble;

    @BeforeAll
    void startServers() {
        ensemble = Ensemble.start(List.of("tickTime=" + TICK.toMillis(), "initLimit=10", "syncLimit=5"), List.of());
    }

    @AfterAll
    void stopServers() {
        ensemble.close();
    }

    @Test
    void a_killed_follower_costs_no_term() throws Exception {
        List<Server> followers = ensemble.servers().stream()
                .filter(server -> server.mode().filter("follower"::equals).isPresent())
                .toList();
        try (Crowd crowd = new Crowd(TTL)) {
            for (String node : List.of("a", "b", "c")) {
                crowd.join(node, "zk://" + ensemble.addresses() + "/killed");
            }
            crowd.awaitLeader();
            crowd.awaitProgress();

            for (Server follower : followers) {
                follower.kill();
                crowd.awaitPassed(BELIEF);
                follower.startAgain();
                ensemble.awaitReady();
            }
            crowd.awaitProgress();

            assertThat(followers).hasSize(2);
            assertThat(crowd.terms()).isEqualTo(1);
            assertThat(crowd.sessionsLost()).isEmpty();
        }
    }

    /** It is silent for ZooKeeper's leader right after a renewal, which is the longest that a successor can have to wait. */
    @Test
    void a_leader_that_falls_silent_is_followed_after_a_ttl_and_a_tick_at_most() throws Exception {
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(ensemble.leader());
                Actor leader = new Actor("zk://" + proxy.address() + "/silent");
                Actor next = Actor.open("zk://" + ensemble.addresses() + "/silent", TTL)) {
            leader.openWithoutRenewing(TTL);
            leader.take(ELECTION);
            next.claim(ELECTION, next.nonce());

            leader.ask(() -> leader.session().renew());
            proxy.become(ZooKeeperProxy.State.CUT);
            long silentNanos = System.nanoTime();
            Await.until("the next one is elected", () -> !next.heard.grants().isEmpty());

            assertThat(Duration.ofNanos(System.nanoTime() - silentNanos))
                    .isLessThan(TTL.plus(TICK).plus(SLACK));
        }
    }
}
