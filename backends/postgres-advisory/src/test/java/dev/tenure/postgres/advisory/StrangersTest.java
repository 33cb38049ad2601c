// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody who is no candidate has the lock of an election. */
@Tag("server")
class StrangersTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ElectionName ELECTION = ElectionName.of("billing/sweeper");

    private final Postgres server = AdvisoryServer.shared();
    private final List<String> troubles = new CopyOnWriteArrayList<>();

    private Tenure connect(String namespace) {
        Tenure tenure = Tenure.connect(AdvisoryServer.url(namespace)).ttl(TTL).open();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.StoreError trouble
                    && trouble.problem().contains("STUCK_HOLDER")) {
                troubles.add(trouble.doing() + ": " + trouble.problem());
            }
        });
        return tenure;
    }

    private static Candidacy stand(Tenure tenure, ElectionName election) {
        return tenure.elect(election.value()).perform(StrangersTest::lead);
    }

    private static void lead(Leadership leadership) throws InterruptedException {
        leadership.rest(PATIENCE);
    }

    private Connection stranger() throws SQLException {
        return DriverManager.getConnection(server.url() + "&ApplicationName=nightly-batch");
    }

    private static int take(Connection stranger, String lock, String namespace) throws SQLException {
        long key = new ElectionTables.LockKeys("public.t_" + namespace + "_epochs").of(ELECTION);
        try (Statement statement = stranger.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pg_backend_pid(), " + lock + "(" + key + ")")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pg_advisory_lock", "pg_advisory_lock_shared"})
    void who_has_it_is_told_once_with_what_to_do_and_the_election_goes_on_without_them(String lock)
            throws SQLException {
        try (Connection stranger = stranger()) {
            int pid = take(stranger, lock, lock);
            try (Tenure tenure = connect(lock)) {
                Candidacy candidacy = stand(tenure, ELECTION);

                await().atMost(PATIENCE).until(() -> !troubles.isEmpty());

                assertThat(troubles.get(0))
                        .contains("waiting for billing/sweeper", "server process " + pid, "nightly-batch")
                        .contains("user: tenure", "127.0.0.1", "pg_terminate_backend(" + pid + ")");
                server.ask("SELECT pg_terminate_backend(" + pid + ")");
                await().atMost(PATIENCE).until(candidacy::isLeading);
                assertThat(troubles).hasSize(1);
            }
        }
    }

    @Test
    void one_of_many_elections_is_told_too() throws SQLException {
        try (Connection stranger = stranger()) {
            int pid = take(stranger, "pg_advisory_lock", "among");
            try (Tenure tenure = connect("among")) {
                Candidacy other = stand(tenure, ElectionName.of("other"));
                stand(tenure, ELECTION);

                await().atMost(PATIENCE).until(() -> !troubles.isEmpty());

                assertThat(other.isLeading()).isTrue();
                assertThat(troubles.get(0)).contains("billing/sweeper", "server process " + pid);
            }
        }
    }

    @Test
    void a_leader_that_keeps_others_waiting_is_no_stranger() {
        try (Tenure leads = connect("familiar");
                Tenure waits = connect("familiar")) {
            AtomicInteger renewals = new AtomicInteger();
            leads.elect(ELECTION.value()).perform(leadership -> {
                leadership.onRenewal(renewals::incrementAndGet);
                leadership.rest(PATIENCE);
            });
            await().atMost(PATIENCE).until(() -> renewals.get() > 0);
            stand(waits, ELECTION);
            int before = renewals.get();

            await().atMost(PATIENCE).until(() -> renewals.get() - before > 16); // looked at four times

            assertThat(troubles).isEmpty();
        }
    }
}
