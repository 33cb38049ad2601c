// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.TcpLink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose clock was set back does not end a silent leader; those who wait do. */
@Tag("server")
class SilentHoldersTest {
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String ELECTION = "billing/sweeper";
    private static final Duration HOUR = Duration.ofHours(1);

    private static Postgres server;

    private final List<String> troubles = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() {
        server = Postgres.onItsOwnClock();
        for (String role : List.of("one", "other", "curious")) {
            server.execute(
                    "CREATE ROLE " + role + " LOGIN PASSWORD '" + SqlServer.PASSWORD + "'",
                    "GRANT CREATE ON SCHEMA public TO " + role);
        }
        server.execute("GRANT pg_read_all_stats TO curious");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void setRight() {
        server.clock().move(Duration.ZERO);
    }

    private static String url(int port, String role, String namespace) {
        return AdvisoryServer.url(port, namespace).replace("//" + SqlServer.USER, "//" + role);
    }

    private Tenure connect(String url) {
        Tenure tenure = Tenure.connect(url).ttl(TTL).open();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.StoreError trouble
                    && trouble.problem().contains("STUCK_HOLDER")) {
                troubles.add(trouble.problem());
            }
        });
        return tenure;
    }

    private static CompletableFuture<Leadership> stand(Tenure tenure, String election) {
        CompletableFuture<Leadership> led = new CompletableFuture<>();
        assertThat(tenure.elect(election).perform(leadership -> {
                    led.complete(leadership);
                    leadership.rest(PATIENCE);
                }))
                .isNotNull();
        return led;
    }

    private static Leadership within(CompletableFuture<Leadership> led) throws Exception {
        return led.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Whoever waits shows as a leader's rival only when it has been told who leads. */
    private static void awaitWaiting(String namespace) {
        await().atMost(PATIENCE)
                .until(() -> server.ask("SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                                + " AND (classid::bigint << 32) | objid::bigint IN (SELECT lock_key FROM t_" + namespace
                                + "_epochs UNION ALL SELECT line FROM t_" + namespace + "_epochs)")
                        .equals("t"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void a_leader_that_is_cut_off_does_not_keep_its_election_for_an_hour(int elections) throws Exception {
        String namespace = "cutoff" + elections;
        try (TcpLink link = new TcpLink(server.port());
                Tenure cutOff = connect(url(link.port(), "one", namespace));
                Tenure waits = connect(url(server.port(), "one", namespace))) {
            Leadership first = within(stand(cutOff, ELECTION));
            CompletableFuture<Leadership> next = stand(waits, ELECTION);
            if (elections > 1) {
                within(stand(waits, "another"));
            }
            awaitWaiting(namespace);

            link.cut();
            server.clock().move(HOUR.negated());

            assertThat(within(next).token()).isGreaterThan(first.token());
            assertThat(first.isValid()).isFalse();
            assertThat(troubles).isEmpty();
        }
    }

    @Test
    void a_leader_that_is_there_is_not_ended_by_a_clock_that_goes_back_again_and_again() throws Exception {
        try (Tenure leads = connect(url(server.port(), "one", "jumps"));
                Tenure waits = connect(url(server.port(), "one", "jumps"))) {
            AtomicInteger renewals = new AtomicInteger();
            CompletableFuture<Leadership> led = stand(leads, ELECTION);
            Leadership leadership = within(led);
            leadership.onRenewal(renewals::incrementAndGet);
            CompletableFuture<Leadership> rival = stand(waits, ELECTION);
            awaitWaiting("jumps");

            for (int hours : List.of(-1, -2, -3)) {
                int before = renewals.get();
                server.clock().move(Duration.ofHours(hours));
                await().atMost(PATIENCE).until(() -> renewals.get() - before > 6); // more than one look at it
            }

            assertThat(leadership.isValid()).isTrue();
            assertThat(rival).isNotDone();
        }
    }

    @Test
    void who_may_see_it_and_not_end_it_tells_once_what_to_do_and_waits_on() throws Exception {
        try (TcpLink link = new TcpLink(server.port());
                Tenure cutOff = connect(url(link.port(), "one", "forbidden"))) {
            within(stand(cutOff, ELECTION));
            server.execute("GRANT ALL ON t_forbidden_epochs, t_forbidden_epoch_store TO curious");
            try (Tenure waits = connect(url(server.port(), "curious", "forbidden"))) {
                CompletableFuture<Leadership> next = stand(waits, ELECTION);
                awaitWaiting("forbidden");

                link.cut();
                server.clock().move(HOUR.negated());
                await().atMost(PATIENCE).until(() -> !troubles.isEmpty());

                assertThat(troubles.get(0)).contains("has said nothing", "pg_terminate_backend", "pg_signal_backend");
                assertThat(next).isNotDone();
                server.clock().move(Duration.ZERO);
                server.ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'one'");
                within(next);
                assertThat(troubles).hasSize(1);
            }
        }
    }

    @Test
    void who_may_not_see_it_ends_nobody() throws Exception {
        try (Tenure leads = connect(url(server.port(), "one", "hidden"))) {
            Leadership leadership = within(stand(leads, ELECTION));
            AtomicInteger renewals = new AtomicInteger();
            leadership.onRenewal(renewals::incrementAndGet);
            server.execute("GRANT ALL ON t_hidden_epochs, t_hidden_epoch_store TO other");
            try (Tenure waits = connect(url(server.port(), "other", "hidden"))) {
                CompletableFuture<Leadership> rival = stand(waits, ELECTION);
                awaitWaiting("hidden");

                await().atMost(PATIENCE).until(() -> renewals.get() > 16); // looked at three times

                assertThat(leadership.isValid()).isTrue();
                assertThat(rival).isNotDone();
                assertThat(troubles).isEmpty();
            }
        }
    }
}
