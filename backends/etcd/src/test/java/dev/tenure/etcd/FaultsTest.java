// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults of a real cluster, with candidates that write to a fenced ledger all the while. */
@Tag("all")
@Tag("server")
class FaultsTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(3);
    /** A dead holder lives its TTL, and once more if the store changes its leader meanwhile. */
    private static final Duration ONE_LEADER_AGAIN_WITHIN = Duration.ofSeconds(30);

    private final List<Tenure> tenures = new ArrayList<>();
    private final List<Candidacy> candidacies = new ArrayList<>();
    private final InMemoryFence ledger = new InMemoryFence("ledger");
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong lastToken = new AtomicLong();
    private final AtomicInteger violations = new AtomicInteger();
    private final ConcurrentHashMap<String, Boolean> believers = new ConcurrentHashMap<>();
    private final AtomicInteger overlaps = new AtomicInteger();
    private EtcdCluster cluster;

    @BeforeEach
    void start() {
        cluster = EtcdCluster.start(EtcdServers.NEWEST, 3);
    }

    @AfterEach
    void stop() {
        tenures.forEach(Tenure::close);
        cluster.close();
    }

    private void stand(int count) {
        for (int i = 0; i < count; i++) {
            String node = "node-" + i;
            Tenure tenure =
                    Tenure.connect(cluster.url("faults")).node(node).ttl(TTL).open();
            tenures.add(tenure);
            candidacies.add(tenure.elect(ELECTION.value()).fencedBy(ledger).perform(leadership -> {
                while (leadership.isActive()) {
                    if (leadership.isValid()) {
                        believers.put(node, true);
                        if (leadership.isValid() && believers.size() > 1) {
                            overlaps.incrementAndGet();
                        }
                    }
                    try {
                        ledger.write(leadership.term(), () -> {
                            long token = leadership.token().value();
                            if (lastToken.getAndSet(token) > token) {
                                violations.incrementAndGet();
                            }
                            written.incrementAndGet();
                        });
                    } catch (StaleTokenException stale) {
                        leadership.fenced(stale.seen());
                    } finally {
                        believers.remove(node);
                    }
                    leadership.rest(Duration.ofMillis(5));
                }
            }));
        }
    }

    private void awaitOneLeaderThatWrites() {
        long before = written.get();
        await().atMost(ONE_LEADER_AGAIN_WITHIN)
                .until(() -> written.get() > before + 5
                        && candidacies.stream().filter(Candidacy::isLeading).count() == 1);
    }

    private void assertSafe() {
        assertThat(violations).as("writes with an older token").hasValue(0);
        assertThat(overlaps).as("two that believed at once").hasValue(0);
    }

    @Test
    void every_server_in_turn_is_killed_and_comes_back() {
        stand(3);
        awaitOneLeaderThatWrites();

        for (EtcdNode node : cluster.nodes()) {
            node.kill();
            awaitOneLeaderThatWrites();
            node.start();
            cluster.awaitReady();
        }

        awaitOneLeaderThatWrites();
        assertSafe();
    }

    @Test
    void the_stores_leader_is_stopped_and_goes_on_later() {
        stand(3);
        awaitOneLeaderThatWrites();
        EtcdNode leader = cluster.leader();

        leader.stop();
        awaitOneLeaderThatWrites();
        leader.goOn();

        awaitOneLeaderThatWrites();
        assertSafe();
    }

    @Test
    void all_servers_are_killed_at_once_and_restarted() {
        stand(3);
        awaitOneLeaderThatWrites();

        cluster.nodes().forEach(EtcdNode::kill);
        await().atMost(ONE_LEADER_AGAIN_WITHIN).until(() -> candidacies.stream().noneMatch(Candidacy::isLeading));
        cluster.nodes().forEach(EtcdNode::start);
        cluster.awaitReady();

        awaitOneLeaderThatWrites();
        assertSafe();
    }

    /** The store breaks its word here: belief may overlap until the old deadline, but no stale write gets in. */
    @Test
    void the_whole_folder_is_wiped_and_no_token_comes_back() {
        stand(3);
        awaitOneLeaderThatWrites();
        long before = lastToken.get();

        cluster.delete(KeyRange.under("faults/"));

        awaitOneLeaderThatWrites();
        await().atMost(ONE_LEADER_AGAIN_WITHIN).until(() -> lastToken.get() > before);
        assertThat(violations).as("writes with an older token").hasValue(0);
    }

    @Test
    void a_leaders_record_is_deleted_by_hand_and_it_stops_at_once() {
        stand(1);
        awaitOneLeaderThatWrites();
        long before = lastToken.get();

        cluster.delete(new Keys("faults", false).election(ELECTION));

        await().atMost(TTL).until(() -> lastToken.get() > before);
        assertThat(violations).hasValue(0);
    }
}
