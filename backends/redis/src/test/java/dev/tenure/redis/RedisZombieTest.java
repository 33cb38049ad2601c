// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.Term;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.redis.servers.RedisGroup;
import dev.tenure.redis.servers.RedisServer;
import dev.tenure.redis.servers.RedisServer.Product;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Redis loses the claim of a leader that does not care and goes on writing: the fence in PostgreSQL refuses it. */
@Tag("server")
class RedisZombieTest {
    private static final int PATIENCE_SECONDS = 60;

    /** Writes under each term without a pause, whatever it is told, until it is refused. */
    private static final class Reckless implements AutoCloseable {
        private final Postgres database = Postgres.running();
        private final FencedSql fence;
        private final ExecutorService writers = Executors.newCachedThreadPool();
        private final BlockingQueue<Leadership> led = new LinkedBlockingQueue<>();
        private final AtomicInteger refused = new AtomicInteger();
        private final List<Exception> failures = new CopyOnWriteArrayList<>();
        private volatile boolean closed;

        Reckless() {
            database.execute("CREATE TABLE ledger (id serial, token bigint)");
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(database.plainUrl(SqlServer.DATABASE));
            source.setUser(SqlServer.USER);
            source.setPassword(SqlServer.PASSWORD);
            fence = FencedSql.guarding(source, "ledger");
        }

        Tenure stand(String url) {
            Tenure tenure = Tenure.connect(url).ttl(Duration.ofSeconds(2)).open();
            tenure.elect("ledger").fencedBy(fence).perform(leadership -> {
                led.add(leadership);
                writers.execute(() -> write(leadership.term()));
                leadership.rest(Duration.ofMinutes(10));
            });
            return tenure;
        }

        private void write(Term term) {
            try {
                while (!closed) {
                    fence.update(
                            term,
                            "INSERT INTO ledger (token) VALUES (?)",
                            term.token().value());
                }
            } catch (StaleTokenException stale) {
                refused.incrementAndGet();
            } catch (SQLException failure) {
                if (!closed) {
                    failures.add(failure);
                }
            }
        }

        FencingToken awaitTokenAbove(FencingToken last) throws InterruptedException {
            Leadership next = led.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(next).as("a new term").isNotNull();
            assertThat(next.token()).isGreaterThan(last);
            return next.token();
        }

        void assertNoStaleWrite(int zombies) throws InterruptedException {
            org.awaitility.Awaitility.await("each zombie was refused")
                    .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
                    .until(() -> refused.get() >= zombies);
            closed = true;
            writers.shutdown();
            assertThat(writers.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(failures).isEmpty();
            assertThat(database.ask("SELECT count(*) > 0 FROM ledger")).isEqualTo("t");
            assertThat(database.ask(
                            "SELECT count(*) FROM (SELECT token, lag(token) OVER (ORDER BY id) AS before FROM ledger)"
                                    + " AS written WHERE token < before"))
                    .as("writes behind one with a higher token")
                    .isEqualTo("0");
        }

        @Override
        public void close() {
            closed = true;
            writers.shutdownNow();
            database.close();
        }
    }

    private static void loseClaims(int rounds) throws Exception {
        try (Reckless ledger = new Reckless();
                RedisServer server = RedisServer.running();
                Tenure one = ledger.stand(server.url());
                Tenure two = ledger.stand(server.url())) {
            FencingToken token = ledger.awaitTokenAbove(new FencingToken(1));
            for (int round = 0; round < rounds; round++) {
                server.ask(client -> client.hdel("{tenure}:c", "c/ledger"));
                server.ask(client -> client.publish("{tenure}:changed:0", "c/ledger"));
                token = ledger.awaitTokenAbove(token);
            }
            ledger.assertNoStaleWrite(rounds);
        }
    }

    @Test
    void a_leader_whose_claim_is_lost_writes_on_and_is_refused() throws Exception {
        loseClaims(20);
    }

    @Test
    @Tag("all")
    void a_leader_whose_claim_is_lost_writes_on_and_is_refused_200_times() throws Exception {
        loseClaims(200);
    }

    @Test
    void a_leader_whose_claim_is_lost_by_a_failover_writes_on_and_is_refused() throws Exception {
        try (Reckless ledger = new Reckless();
                RedisGroup group = RedisGroup.running(Product.VALKEY, 2)) {
            group.stopReplication();
            try (Tenure one = ledger.stand(group.url());
                    Tenure two = ledger.stand(group.url())) {
                FencingToken first = ledger.awaitTokenAbove(new FencingToken(1));

                group.failOver();

                ledger.awaitTokenAbove(first);
                ledger.assertNoStaleWrite(1);
            }
        }
    }
}
