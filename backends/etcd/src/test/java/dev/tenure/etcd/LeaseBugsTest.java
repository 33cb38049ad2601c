// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Tenure;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.RenewReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bugs of etcd's leases, each under its number in the catalogue, on a cluster that saves what is left of their time. */
@Tag("server")
class LeaseBugsTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final int CHANGES = 3;
    /** The bound that is documented: a TTL for each change of the store's leader, and one more; and room for a slow machine. */
    private static final Duration BOUND = TTL.multipliedBy(CHANGES + 1).plusSeconds(20);

    private EtcdCluster cluster;

    @BeforeEach
    void start() {
        cluster = EtcdCluster.start(
                EtcdServers.NEWEST,
                3,
                "--experimental-enable-lease-checkpoint=true",
                "--experimental-enable-lease-checkpoint-persist=true");
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void b26_a_holder_that_does_not_go_by_itself_is_told_to_operators_with_what_they_can_do() {
        String dead = new Keys("bugs", false).entry(ELECTION, 0x5);
        cluster.post("/v3/kv/put", "{\"key\":\"" + EtcdCluster.base64(dead) + "\"}");
        try (Warnings warnings = new Warnings();
                Tenure waiting = Tenure.connect(cluster.url("bugs")).ttl(TTL).open()) {
            waiting.elect(ELECTION.value()).perform(leadership -> {});

            await().atMost(BOUND).until(() -> warnings.contain("etcdctl del 'bugs/sweeper/5'"));

            assertThat(warnings.contain("STUCK_HOLDER")).isTrue();
            assertThat(warnings.contain("it has no lease")).isTrue();
        }
    }

    /** What the log of Tenure says while it is open. */
    private static final class Warnings extends Handler implements AutoCloseable {
        private final Logger log = SharedClusters.LOG; // whose level is set by then, and not while this is open
        private final Level before = log.getLevel();
        private final List<String> texts = new CopyOnWriteArrayList<>();

        Warnings() {
            log.setLevel(Level.WARNING);
            log.addHandler(this);
        }

        boolean contain(String text) {
            return texts.stream().anyMatch(said -> said.contains(text));
        }

        @Override
        public void publish(LogRecord said) {
            texts.add(new SimpleFormatter().formatMessage(said));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            log.removeHandler(this);
            log.setLevel(before);
        }
    }

    @Test
    void b27_a_dead_holder_is_followed_within_a_ttl_for_each_change_of_the_stores_leader() {
        try (Client dead = new Client(cluster.url("bugs"));
                Client living = new Client(cluster.url("bugs"))) {
            ClaimReply.Granted held = dead.open(TTL).take(ELECTION);
            Client.Seat successor = living.open(TTL);
            Nonce place = successor.queue(ELECTION);

            for (int i = 0; i < CHANGES; i++) {
                cluster.moveLeader();
                assertThat(successor.renew()).isInstanceOf(RenewReply.Renewed.class);
            }

            await().atMost(BOUND).pollInterval(TTL.dividedBy(4)).until(() -> {
                successor.renew();
                return successor.pushed(place).isPresent();
            });
            ClaimReply.Granted grant = successor.pushed(place).orElseThrow();
            assertThat(grant.token()).isGreaterThan(held.token());
            assertThat(grant.takeover()).isTrue();
        }
    }
}
