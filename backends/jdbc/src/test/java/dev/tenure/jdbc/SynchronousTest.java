// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.support.TcpLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Grade B rests on commits that wait for a standby: one that did not is not taken for done (SAFETY §3.4). */
@Tag("server")
class SynchronousTest {
    private static final Versioned NOTHING = Versioned.absent("c/a", 0);
    private static final String WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

    private static final int MANY = 20;

    private Postgres primary;
    private TcpLink replication;
    private Postgres standby;

    @BeforeEach
    void start() {
        primary = Postgres.running();
        replication = new TcpLink(primary.port());
        standby = primary.standbyThrough(replication);
        primary.waitForStandbys();
    }

    @AfterEach
    void stop() {
        standby.close();
        replication.close();
        primary.close();
    }

    @Test
    void a_commit_that_waits_for_a_standby_in_vain_has_an_unknown_outcome() {
        try (Client client = Client.of(primary.url() + "&tenure.timeout=1s")) {
            Versioned standing = client.write(NOTHING, "stands");
            replication.cut();

            BackendException failure = client.writeFailure(standing);

            assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(failure).hasMessageContaining("does not answer within 1000 ms");
            replication.heal();
        }
    }

    @Test
    void a_commit_that_no_longer_waits_because_somebody_cancelled_it_has_an_unknown_outcome() {
        try (Client client = Client.of(primary.url() + "&tenure.timeout=30s")) {
            Versioned standing = client.write(NOTHING, "stands");
            replication.cut();
            CompletionStage<?> write = client.store().compareAndSet(new Write(standing, "maybe", Optional.empty(), 0));
            Awaitility.await()
                    .atMost(Client.PATIENCE)
                    .until(() -> primary.ask("SELECT count(*) " + WAITING).equals("1"));

            primary.ask("SELECT pg_cancel_backend(pid) " + WAITING);

            assertThat(Client.failure(write).effect()).isEqualTo(Effect.UNKNOWN);
            replication.heal();
        }
    }

    @Test
    void of_many_commits_that_were_made_together_none_is_taken_for_done_when_somebody_cancelled_the_wait() {
        try (Client client = Client.of(primary.url() + "&tenure.timeout=30s")) {
            client.write(NOTHING, "stands");
            replication.cut();
            List<CompletionStage<?>> writes = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                Versioned absent = Versioned.absent("c/many" + i, 0);
                writes.add(client.store().compareAndSet(new Write(absent, "maybe", Optional.empty(), 0)));
            }

            Awaitility.await().atMost(Client.PATIENCE).until(() -> {
                primary.ask("SELECT count(pg_cancel_backend(pid)) " + WAITING);
                return writes.stream()
                        .allMatch(write -> write.toCompletableFuture().isDone());
            });

            assertThat(writes)
                    .allSatisfy(
                            write -> assertThat(Client.failure(write).effect()).isEqualTo(Effect.UNKNOWN));
            replication.heal();
        }
    }
}
