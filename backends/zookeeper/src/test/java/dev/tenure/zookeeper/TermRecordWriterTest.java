package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.claim.BatchedCalls;
import dev.tenure.zookeeper.claim.TermRecordWriter;
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

/** What is written down of terms that began. */
@Tag("server")
@Timeout(60)
class TermRecordWriterTest {
    private static final String BEFORE = "what the term before has left";

    private final String base = "/writer-" + UUID.randomUUID();
    private final SystemHost host = SystemHost.start("writer");
    private final ClientRegistry clients = new ClientRegistry();
    private Operator operator;
    private TermRecordWriter writer;

    @BeforeEach
    void connect() throws Exception {
        operator = new Operator();
        operator.create(base, "");
        Settings settings = Settings.parse(BackendUrl.parse(Ensemble.shared().url(base)));
        CompletableFuture<TermRecordWriter> opened = new CompletableFuture<>();
        ZooKeeperConnection.Terms terms = new ZooKeeperConnection.Terms(10_000, Duration.ofSeconds(30));
        host.post(() -> ZooKeeperConnection.open(settings, host, clients, terms)
                .thenApply(connection -> new BatchedCalls(connection.calls(), settings, host, () -> false))
                .thenApply(calls -> new TermRecordWriter(calls, host))
                .whenComplete((made, failure) -> opened.complete(made)));
        writer = opened.get(30, TimeUnit.SECONDS);
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
        private volatile boolean missed;

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
            writer.began(
                    new TermRecordWriter.Begun(election, election + "/latch", term, () -> !over, () -> missed = true));
        }

        boolean isWritten() throws Exception {
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
    void a_term_whose_latch_stands_is_written_down() throws Exception {
        Led term = new Led("a", 7).standing();

        begin(term);

        Await.until("it is written", term::isWritten);
        assertThat(term.missed).isFalse();
    }

    @Test
    void a_term_whose_latch_has_gone_is_not_written_over_what_came_after_it_and_is_told() throws Exception {
        Led term = new Led("a", 7);

        begin(term);

        Await.until("it was told", () -> term.missed);
        assertThat(operator.data(term.election)).isEqualTo(BEFORE);
    }

    @Test
    void one_that_is_refused_does_not_keep_the_others_from_being_written() throws Exception {
        Led first = new Led("a", 7).standing();
        Led gone = new Led("b", 8);
        Led last = new Led("c", 9).standing();

        begin(first, gone, last);

        Await.until("the others are written", () -> first.isWritten() && last.isWritten());
        Await.until("the one was told", () -> gone.missed);
        assertThat(operator.data(gone.election)).isEqualTo(BEFORE);
    }

    @Test
    void a_term_that_is_over_before_it_is_written_is_left_to_who_ended_it() throws Exception {
        Led over = new Led("a", 7).standing();
        Led next = new Led("b", 8).standing();
        over.over = true;

        begin(over, next);

        Await.until("the next is written", next::isWritten);
        assertThat(operator.data(over.election)).isEqualTo(BEFORE);
    }
}
