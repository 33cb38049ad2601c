// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.support.TcpLink;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What went wrong elsewhere on SQL (SAFETY §2.5), row by row. Those that need no fault of a server the contract kits have. */
@Tag("server")
class BugsOfPeersTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    /** Long after a listener that was cut off listens again. */
    private static final Duration LONGER = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Postgres server = SharedServers.postgres();

    private String url(String row) {
        return SharedServers.inNamespace(server.url() + "&ApplicationName=" + row, row);
    }

    @Test
    void b59_a_leader_whose_session_was_taken_away_is_told() throws InterruptedException {
        try (Stander leader = Stander.at(url("b59"), Duration.ofSeconds(10))) {
            Leadership lost = leader.awaitLeadership();

            server.execute("DELETE FROM t_b59_records WHERE id LIKE 's/%'");

            Awaitility.await().atMost(PATIENCE).until(() -> !leader.losses().isEmpty());
            assertThat(leader.losses().get(0)).isInstanceOf(Loss.SessionLost.class);
            assertThat(lost.isValid()).isFalse();
        }
    }

    @Test
    void b64_a_leader_that_is_cut_off_has_stopped_when_its_successor_starts() throws InterruptedException {
        String url = url("b64");
        try (TcpLink link = new TcpLink(server.port());
                Stander cutOff = Stander.at(url.replace(":" + server.port(), ":" + link.port()), TTL)) {
            Leadership old = cutOff.awaitLeadership();
            try (Stander successor = Stander.at(url, TTL)) {
                link.cut();

                successor.awaitLeadership();

                assertThat(old.isValid()).isFalse();
            }
        }
    }

    @Test
    void b66_a_leader_whose_backends_were_terminated_renews_and_leads_on() throws InterruptedException {
        AtomicInteger renewals = new AtomicInteger();
        try (Stander leader = Stander.at(url("b66"), Duration.ofSeconds(10))) {
            Leadership leadership = leader.awaitLeadership();

            server.ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'b66'");
            leadership.onRenewal(renewals::incrementAndGet);

            // The request of the second was sent after the first was acknowledged.
            Awaitility.await().atMost(PATIENCE).until(() -> renewals.get() >= 2);
            assertThat(leader.losses()).isEmpty();
            assertThat(leadership.isValid()).isTrue();
        }
    }

    @Test
    void b72_with_a_clock_that_stands_still_every_renewal_has_a_version_of_its_own_and_every_term_a_token_of_its_own()
            throws Exception {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(SharedServers.h2("b72"));
        JdbcOptions options = JdbcOptions.standard().dialect(new StoppedClock());
        try (Client client = new Client(host -> JdbcStore.open(source, options, host))) {
            Versioned first = client.write(Versioned.absent("s/a", 0), "open", TTL);
            Versioned second = client.write(first, "open", TTL);
            client.write(second, "open", TTL);

            assertThat(List.of(first, second))
                    .allSatisfy(old -> assertThat(Client.reply(
                                    client.store().compareAndSet(new Write(old, "taken", Optional.of(TTL), 0))))
                            .isInstanceOf(WriteReply.Refused.class));
        }
        List<Long> tokens = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 3; i++) {
            try (Tenure tenure = Tenure.using(host -> JdbcStore.open(source, options, host))
                    .ttl(TTL)
                    .open()) {
                tenure.exclusively(
                        "a",
                        PATIENCE,
                        leadership -> tokens.add(leadership.token().value()));
            }
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void b71_a_dead_leader_is_succeeded_although_nothing_is_notified() throws InterruptedException {
        String url = url("b71");
        try (TcpLink link = new TcpLink(server.port());
                Stander dies = Stander.at(url.replace(":" + server.port(), ":" + link.port()), LONGER)) {
            long before = dies.awaitLeadership().token().value();
            try (Stander deaf = Stander.at(url, LONGER)) {
                link.cut();
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> !server.ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                                        + " WHERE application_name = 'b71' AND query LIKE 'SELECT id FROM %'")
                                .equals("0"));

                assertThat(deaf.awaitLeadership().token().value()).isGreaterThan(before);
            }
        }
    }

    /** H2, with a clock that never moves. */
    private static final class StoppedClock implements Dialect {
        private final Dialect usual = new H2Dialect();

        @Override
        public boolean speaks(String product) {
            return usual.speaks(product);
        }

        @Override
        public String nowMicros() {
            return "CAST(1700000000000000 AS BIGINT)";
        }

        @Override
        public String writable() {
            return usual.writable();
        }

        @Override
        public String createTable(String table) {
            return usual.createTable(table);
        }

        @Override
        public SqlErrorKind errorKind(SQLException failure) {
            return usual.errorKind(failure);
        }
    }
}
