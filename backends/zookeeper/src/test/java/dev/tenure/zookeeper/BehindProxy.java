// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.Term;
import dev.tenure.zookeeper.claim.ParticipantOrder;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** An election on real servers, a proxy on the way to one of them, and somebody who looks. */
@Timeout(180)
abstract class BehindProxy {
    static final Duration TTL = Duration.ofSeconds(8);
    static final Duration SHORT = Duration.ofSeconds(4);
    static final Duration SOON = Duration.ofSeconds(60);

    private final String base = "/behind-" + UUID.randomUUID();
    final String path = path("e");
    private final List<AutoCloseable> open = new ArrayList<>();
    Operator operator;
    ZooKeeperProxy proxy;

    @BeforeEach
    void connect() throws Exception {
        operator = opened(new Operator());
        proxy = proxy(0);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    <T extends AutoCloseable> T opened(T one) {
        open.add(0, one);
        return one;
    }

    ZooKeeperProxy proxy(int server) throws Exception {
        return opened(new ZooKeeperProxy(Ensemble.shared().servers().get(server)));
    }

    String url(ZooKeeperProxy way) {
        return "zk://" + way.address() + base + "?tick=" + Ensemble.TICK.toMillis() + "ms";
    }

    Node node(Duration ttl) {
        return node(proxy, ttl);
    }

    Node node(ZooKeeperProxy way, Duration ttl) {
        return opened(new Node(url(way), ttl));
    }

    /** The znode of an election. */
    String path(String election) {
        return base + "/c/" + election;
    }

    /** The latch at this place of the queue. */
    String latch(int place) throws Exception {
        return path + "/" + operator.latches(path).get(place);
    }

    static Term leading(Candidacy candidacy) throws Exception {
        assertThat(candidacy.awaitLeading(SOON)).isTrue();
        return candidacy.term().orElseThrow();
    }

    void assertOnlyLatch(String election, Term term) throws Exception {
        assertThat(operator.latches(path(election)))
                .singleElement()
                .matches(name -> ParticipantOrder.isOf(name, term.nonce()));
    }
}
