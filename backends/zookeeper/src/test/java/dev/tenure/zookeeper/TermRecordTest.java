// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.claim.BatchedCalls;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperConnection;
import dev.tenure.zookeeper.client.ZooKeeperConnection.ClientRegistry;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Terms that began are recorded, and never over those that came after them. */
@Tag("server")
@Timeout(60)
class TermRecordTest {
    private static final String BEFORE = "what the term before has left";

    private final String base = "/record-" + UUID.randomUUID();
    private final SystemHost host = SystemHost.start("record");
    private final ClientRegistry clients = new ClientRegistry();
    private Operator operator;
    private BatchedCalls calls;

    @BeforeEach
    void connect() throws Exception {
        operator = new Operator();
        operator.create(base, "");
        Settings settings = Settings.parse(BackendUrl.parse(Ensemble.shared().url(base)));
        CompletableFuture<BatchedCalls> opened = new CompletableFuture<>();
        ZooKeeperConnection.Terms terms = new ZooKeeperConnection.Terms(10_000, Duration.ofSeconds(30));
        host.post(() -> ZooKeeperConnection.open(settings, host, clients, terms)
                .thenApply(connection -> new BatchedCalls(connection.calls(), settings, host, () -> false))
                .whenComplete((made, failure) -> opened.complete(made)));
        calls = opened.get(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void closeAll() throws Exception {
        clients.close();
        host.shutdown();
        operator.close();
    }

    /** A term in an election of its own. */
    private final class Led {
        private final String election;
        private final long token;
        private volatile boolean over;

        Led(String name, long token) throws Exception {
            this.election = base + "/" + name;
            this.token = token;
            operator.create(election, BEFORE);
        }

        Led standing() throws Exception {
            operator.create(election + "/latch", "");
            return this;
        }

        void begin() {
            TermRecord term =
                    new TermRecord(new FencingToken(token), true, "0x1", Duration.ofSeconds(10), Instant.EPOCH);
            calls.record(election, election + "/latch", term, () -> !over);
        }

        boolean isRecorded() throws Exception {
            return TermRecord.find(operator.data(election))
                    .filter(last -> last.token().value() == token)
                    .isPresent();
        }
    }

    private void begin(Led... terms) {
        host.post(() -> {
            for (Led term : terms) {
                term.begin();
            }
        });
    }

    @Test
    void a_term_is_recorded_if_its_latch_stands_whatever_becomes_of_those_beside_it() throws Exception {
        Led first = new Led("a", 7).standing();
        Led gone = new Led("b", 8);
        Led last = new Led("c", 9).standing();

        begin(first, gone, last);

        Await.until("the others are recorded", () -> first.isRecorded() && last.isRecorded());
        assertThat(operator.data(gone.election)).isEqualTo(BEFORE);
    }

    @Test
    void a_term_that_is_over_before_it_is_recorded_is_left_to_its_release() throws Exception {
        Led over = new Led("a", 7).standing();
        Led next = new Led("b", 8).standing();
        over.over = true;

        begin(over, next);

        Await.until("the next is recorded", next::isRecorded);
        assertThat(operator.data(over.election)).isEqualTo(BEFORE);
    }
}
