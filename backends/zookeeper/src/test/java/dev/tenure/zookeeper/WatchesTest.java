// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a session hears of the latches, on one connection and on the next. Nobody renews here, so nothing else can tell it. */
@Tag("server")
class WatchesTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final ElectionName ELECTION = ElectionName.of("e");

    private final String base = "/watches-" + UUID.randomUUID();
    private final String path = base + "/c/e";
    private Operator operator;
    private ZooKeeperProxy proxy;
    private Actor leader;

    @BeforeEach
    void connect() throws Exception {
        operator = new Operator();
        proxy = new ZooKeeperProxy(Ensemble.shared().servers().get(0));
        leader = new Actor("zk://" + proxy.address() + base + "?tick=200ms");
        leader.openWithoutRenewing(TTL);
    }

    @AfterEach
    void closeAll() throws Exception {
        leader.close();
        proxy.close();
        operator.close();
    }

    private String latch() throws Exception {
        return path + "/" + operator.latches(path).get(0);
    }

    private static boolean isWatched(String znode) {
        return Ensemble.shared().servers().stream()
                .anyMatch(server -> server.ask("wchp").lines().anyMatch(znode::equals));
    }

    private void breakConnection(String watched) throws Exception {
        proxy.become(ZooKeeperProxy.State.CUT);
        proxy.dropConnections();
        Await.until("the server has noticed", () -> !isWatched(watched));
    }

    @Test
    void a_latch_that_is_removed_while_its_owner_is_away_is_heard_of_when_it_is_back() throws Exception {
        leader.take(ELECTION);
        String latch = latch();
        Await.until("its watch is set", () -> isWatched(latch));
        breakConnection(latch);

        operator.remove(latch);
        proxy.become(ZooKeeperProxy.State.UP);

        Await.until("it was told", () -> leader.heard.changes().contains(ELECTION));
        assertThat(leader.heard.losses()).isEmpty();
    }

    @Test
    void a_latch_that_is_removed_after_a_reconnection_is_heard_of() throws Exception {
        leader.take(ELECTION);
        String latch = latch();
        Await.until("its watch is set", () -> isWatched(latch));
        breakConnection(latch);
        proxy.become(ZooKeeperProxy.State.UP);
        Await.until("it is watched again", () -> isWatched(latch));

        operator.remove(latch);

        Await.until("it was told", () -> leader.heard.changes().contains(ELECTION));
        assertThat(leader.heard.losses()).isEmpty();
    }

    @Test
    void the_servers_tell_nobody_of_the_latches_of_others() throws Exception {
        leader.take(ELECTION);
        assertThat(List.of(base, base + "/c")).noneMatch(WatchesTest::isWatched);
        String latch = latch();
        Await.until("its watch is set", () -> isWatched(latch));

        breakConnection(latch);
        proxy.become(ZooKeeperProxy.State.UP);

        Await.until("it is watched again", () -> isWatched(latch));
        Await.until("and nothing else", () -> !isWatched(base + "/c"));
    }
}
