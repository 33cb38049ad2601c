// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.TcpLink;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A standby takes over that has the session as it was renewed last, but not its claims. No renewal tells of it, and the usual
 * look at one claim after the other, with a renewal, would come to the last of them late.
 */
@Tag("server")
class LostClaimsTest {
    private static final Duration TTL = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final List<String> ELECTIONS = List.of("ledger", "mails", "reports");
    private final List<Leadership> led = new CopyOnWriteArrayList<>();
    private final Map<String, Loss> losses = new ConcurrentHashMap<>();
    private final AtomicInteger renewals = new AtomicInteger();
    private final List<Integer> renewalsBefore = new CopyOnWriteArrayList<>();
    private Postgres primary;
    private TcpLink replication;
    private Postgres standby;

    @BeforeEach
    void start() {
        primary = Postgres.running();
        replication = new TcpLink(primary.port());
        standby = primary.standbyThrough(replication);
    }

    @AfterEach
    void stop() {
        standby.close();
        replication.close();
        primary.close();
    }

    private String servers() {
        return "127.0.0.1:" + primary.port() + ",127.0.0.1:" + standby.port() + "/postgres?targetServerType=primary";
    }

    @Test
    void all_of_them_are_told_with_the_first_connection_to_the_new_server() {
        String url = "postgresql://" + SqlServer.USER + ":" + SqlServer.PASSWORD + "@" + servers();
        try (Tenure tenure = Tenure.connect(url).ttl(TTL).open()) {
            loseClaimsOf(tenure);

            awaitLosses(tenure);
        }
    }

    @Test
    void all_of_them_are_told_with_the_first_new_connection_of_a_pool_that_replaces_broken_ones_silently() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://" + servers());
        config.setUsername(SqlServer.USER);
        config.setPassword(SqlServer.PASSWORD);
        config.setConnectionTimeout(5_000);
        try (HikariDataSource pool = new HikariDataSource(config);
                Tenure tenure = Tenure.using(host -> JdbcStore.open(pool, JdbcOptions.standard(), host))
                        .ttl(TTL)
                        .open()) {
            loseClaimsOf(tenure);
            pool.getHikariPoolMXBean().softEvictConnections();

            awaitLosses(tenure);
        }
    }

    private void loseClaimsOf(Tenure tenure) {
        openSession(tenure);
        primary.awaitReplicated();
        replication.cut();
        ELECTIONS.forEach(election -> tenure.elect(election).perform(this::lead));
        Awaitility.await().atMost(PATIENCE).until(() -> led.size() == ELECTIONS.size());
        primary.kill();
        standby.promote();
    }

    /** With a claim of its own, which the standby has. */
    private static void openSession(Tenure tenure) {
        AtomicInteger opened = new AtomicInteger();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.SessionOpened) {
                opened.incrementAndGet();
            }
        });
        tenure.elect("first").perform(leadership -> leadership.rest(PATIENCE));
        Awaitility.await().atMost(PATIENCE).until(() -> opened.get() > 0);
    }

    private void lead(Leadership leadership) throws InterruptedException {
        leadership.onLoss(loss -> {
            renewalsBefore.add(renewals.get());
            losses.put(leadership.term().election().value(), loss);
        });
        led.add(leadership);
        leadership.rest(PATIENCE);
    }

    private void awaitLosses(Tenure tenure) {
        led.get(0).onRenewal(renewals::incrementAndGet);
        tenure.elect("another").perform(leadership -> leadership.rest(PATIENCE)); // something to ask the new server
        // A loss is itself a reason to renew, so only those before the first one count.
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> losses.size() == ELECTIONS.size() || (losses.isEmpty() && renewals.get() > 0));
        assertThat(losses).containsOnlyKeys(ELECTIONS);
        assertThat(losses.values()).allSatisfy(loss -> assertThat(loss).isInstanceOf(Loss.Superseded.class));
        assertThat(renewalsBefore.get(0))
                .as("heartbeats to the new server before it was told")
                .isZero();
    }
}
