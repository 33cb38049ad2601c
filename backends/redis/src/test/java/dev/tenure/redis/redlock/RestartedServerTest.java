// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.redis.servers.RedisServer;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** Which servers count, and for what, by a clock that only the test moves: the pause after a restart is an hour. */
@Tag("server")
class RestartedServerTest {
    private static final String CLAIM = "c/ledger";
    private static final Duration OVER = Duration.ofHours(1).plusSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private final ClockHost host = new ClockHost();
    private final LockServers three = LockServers.started();

    @AfterEach
    void end() {
        three.close();
        host.shutdown();
    }

    private LeaseStore store() {
        return new RedlockProvider()
                .connect(BackendUrl.parse(three.url(folder) + "&restart.pause=1h&timeout=60s"), host);
    }

    private static <T> T reply(CompletionStage<T> call) throws Exception {
        return call.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void assertTooFew(CompletionStage<?> call) {
        assertThatThrownBy(() -> reply(call)).hasMessageContaining("fewer than a majority of the servers");
    }

    private static Versioned claim(LeaseStore store, long clockMillis) throws Exception {
        Write claim = new Write(Versioned.absent(CLAIM, clockMillis), "claim", Optional.empty(), 1);
        return ((WriteReply.Applied) reply(store.compareAndSet(claim))).now();
    }

    /** A claim on three servers that count. */
    private Versioned claimed(LeaseStore store) throws Exception {
        assertTooFew(store.read(CLAIM));
        host.advance(OVER);
        return claim(store, reply(store.read(CLAIM)).clockMillis());
    }

    @Test
    void a_server_that_restarted_without_its_data_does_not_count_at_first_and_gets_the_claim_back() throws Exception {
        try (LeaseStore store = store()) {
            Versioned claimed = claimed(store);

            three.server(1).kill();
            three.server(0).kill();
            three.server(0).start();

            Awaitility.await("the empty server has answered").atMost(PATIENCE).until(() -> {
                assertTooFew(store.read(CLAIM));
                return hasRunAScript(three.server(0));
            });
            assertThatThrownBy(() -> claim(store, claimed.clockMillis()))
                    .as("an empty server makes no majority")
                    .isNotInstanceOf(ClassCastException.class)
                    .hasMessageContaining("fewer than a majority of the servers");

            three.server(1).start();
            Awaitility.await("both count again")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> {
                        host.advance(OVER);
                        return reply(store.read(CLAIM)).version().equals(claimed.version());
                    });
            Awaitility.await("what they had lost").atMost(PATIENCE).until(() -> {
                reply(store.read(CLAIM));
                return has(three.server(0)) && has(three.server(1));
            });
        }
    }

    private static boolean hasRunAScript(RedisServer server) {
        return server.ask(client -> client.info("commandstats")).contains("cmdstat_eval:");
    }

    private static boolean has(RedisServer server) {
        return server.ask(client -> client.hexists("{tenure}:c", CLAIM));
    }

    @Test
    void a_server_that_only_lost_its_connections_counts_on() throws Exception {
        try (LeaseStore store = store()) {
            Versioned claimed = claimed(store);

            three.server(1).kill();
            ClientKillParams all = ClientKillParams.clientKillParams().type(ClientType.NORMAL);
            three.server(0).ask(client -> client.clientKill(all));

            Awaitility.await("it is connected again")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> reply(store.read(CLAIM)).version().equals(claimed.version()));
        }
    }

    @Test
    void a_deletion_does_not_count_where_the_write_may_still_be_on_its_way() throws Exception {
        try (LeaseStore store = store()) {
            Versioned claimed = claimed(store);
            Awaitility.await("all have it")
                    .atMost(PATIENCE)
                    .until(() -> has(three.server(0)) && has(three.server(1)) && has(three.server(2)));
            three.server(2).ask(client -> client.hdel("{tenure}:c", CLAIM)); // as if it had not come there yet
            long scripts = scripts(three.server(2));
            three.server(1).freeze();
            try {
                CompletionStage<WriteReply> deletion = store.delete(claimed);
                Awaitility.await("the third was asked twice")
                        .atMost(PATIENCE)
                        .until(() -> scripts(three.server(2)) >= scripts + 2);
                reply(store.read("c/other"));
                reply(store.read("c/other"));

                assertThat(deletion.toCompletableFuture()).isNotDone();
                three.server(1).goOn();
                assertThat(reply(deletion)).isInstanceOf(WriteReply.Applied.class);
            } finally {
                three.server(1).goOn();
            }
        }
    }

    private static long scripts(RedisServer server) {
        return server.ask(client -> client.info("commandstats"))
                .lines()
                .filter(line -> line.startsWith("cmdstat_eval"))
                .mapToLong(line -> Long.parseLong(line.replaceFirst(".*?calls=(\\d+).*", "$1")))
                .sum();
    }
}
