// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.SessionRequest;
import dev.tenure.sql.servers.PgBouncer;
import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What cannot work is refused, and the message says what to do. */
@Tag("server")
class RefusalsTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final ElectionName ELECTION = ElectionName.of("billing/sweeper");

    @ParameterizedTest
    @EnumSource
    void b67_a_pooler_in_between_is_refused_by_name(PgBouncer.Pooling pooling) {
        try (PgBouncer bouncer = PgBouncer.before(AdvisoryServer.shared(), pooling, 4);
                Side side = new Side(AdvisoryServer.url(bouncer.port(), "pooler"))) {
            BackendException refused =
                    side.failure(() -> side.backend().open(new SessionRequest("a", TTL), side.heard()));

            assertThat(refused).hasMessageContaining("PgBouncer").hasMessageContaining("postgresql://");
            assertThat(refused.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(refused.effect()).isEqualTo(Effect.NONE);
            assertThat(side.failure(() -> side.backend().read(ELECTION))).hasMessageContaining("PgBouncer");
        }
    }

    @Test
    void s18_a_server_that_cannot_be_written_to_is_refused() {
        AdvisoryServer.shared()
                .execute(
                        "DROP ROLE IF EXISTS looker",
                        "CREATE ROLE looker LOGIN PASSWORD 'looks'",
                        "ALTER ROLE looker SET default_transaction_read_only = on");
        String url = "postgresql+advisory://looker:looks@127.0.0.1:"
                + AdvisoryServer.shared().port() + "/postgres";

        try (Side side = new Side(url)) {
            BackendException refused =
                    side.failure(() -> side.backend().open(new SessionRequest("a", TTL), side.heard()));

            assertThat(refused).hasMessageContaining("read-only").hasMessageContaining("primary");
            assertThat(refused.getMessage()).doesNotContain("looks");
        }
    }

    @Test
    void a_free_election_that_would_share_the_lock_of_another_is_refused_with_both_names() {
        String url = AdvisoryServer.url("collision-free");
        try (Side side = new Side(url)) {
            BackendSession session = side.open(TTL);
            long key = plant("t_collision_free_", "the/other");

            BackendException refused = side.failure(() -> session.claim(side.request(ELECTION)));

            assertThat(refused).hasMessageContaining("billing/sweeper").hasMessageContaining("the/other");
            assertThat(refused.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(owners(key)).as("locks that are left behind").isZero();
            side.take(session, ElectionName.of("innocent"));
        }
    }

    @Test
    void an_election_that_would_wait_for_the_lock_of_another_is_refused_with_both_names() throws Exception {
        String url = AdvisoryServer.url("collision-held");
        try (Side side = new Side(url);
                Connection holder = AdvisoryServer.shared().connect();
                Statement statement = holder.createStatement()) {
            BackendSession session = side.open(TTL);
            long key = plant("t_collision_held_", "the/other");
            statement.execute("SELECT pg_advisory_lock(" + key + ")");

            BackendException refused = side.failure(() -> session.claim(side.request(ELECTION)));

            assertThat(refused).hasMessageContaining("billing/sweeper").hasMessageContaining("the/other");
        }
    }

    /** As if this election had been held before, with the lock that belongs to {@link #ELECTION}. */
    private static long plant(String prefix, String name) {
        long key = new ElectionTables.LockKeys("public." + prefix + "epochs").of(ELECTION);
        AdvisoryServer.shared()
                .execute("INSERT INTO " + prefix + "epochs VALUES ('"
                        + ElectionName.of(name).encoded() + "', " + key
                        + ", 1, 0, 0, '', 0, '', '', 1000, 0, false, 0)");
        return key;
    }

    private static int owners(long key) {
        return Integer.parseInt(AdvisoryServer.shared()
                .ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
                        + " AND (classid::bigint << 32) | objid::bigint = " + key));
    }

    @Test
    void without_the_row_that_tells_the_era_nothing_is_led_and_no_lock_stays() {
        try (Side side = new Side(AdvisoryServer.url("eraless"))) {
            BackendSession session = side.open(TTL);
            AdvisoryServer.shared().execute("DELETE FROM t_eraless_epoch_store");

            BackendException refused = side.failure(() -> session.claim(side.request(ELECTION)));

            assertThat(refused).hasMessageContaining("t_eraless_epoch_store");
            assertThat(owners(new ElectionTables.LockKeys("public.t_eraless_epochs").of(ELECTION)))
                    .isZero();
        }
    }

    @Test
    void a_session_that_wants_too_many_locks_is_told_what_to_raise_and_keeps_what_it_has() {
        try (Postgres small = Postgres.running("max_connections=10", "max_locks_per_transaction=10");
                Side side = new Side(AdvisoryServer.url(small.port(), "greedy"))) {
            BackendSession session = side.open(TTL);
            List<CompletableFuture<?>> claims = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                ClaimRequest request = side.request(ElectionName.of("shard/" + i));
                claims.add(side.send(() -> session.claim(request)));
            }

            BackendException refused =
                    side.failure(() -> CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new)));

            assertThat(refused).hasMessageContaining("max_locks_per_transaction");
            assertThat(refused.effect()).isEqualTo(Effect.NONE);
            assertThat(side.lostAtRenewal(session)).isEmpty();
            assertThat(side.ask(side.backend()::list)).as("as many as fit").hasSize(90);
        }
    }

    @Test
    void a_lock_table_that_others_have_filled_is_told_with_what_to_raise() throws Exception {
        try (Postgres small = Postgres.running("max_connections=10", "max_locks_per_transaction=10");
                Side side = new Side(AdvisoryServer.url(small.port(), "full"))) {
            BackendSession session = side.open(TTL);
            side.take(session, ElectionName.of("warm"));
            try (Connection others = small.connect();
                    Statement statement = others.createStatement()) {
                assertThatThrownBy(() -> {
                            for (int key = 0; key < 1_000_000; key++) {
                                statement.execute("SELECT pg_advisory_lock(" + key + ")");
                            }
                        })
                        .hasMessageContaining("shared memory");

                BackendException refused = side.failure(() -> session.claim(side.request(ELECTION)));

                assertThat(refused).hasMessageContaining("max_locks_per_transaction");
                assertThat(refused.kind()).isEqualTo(Kind.MISCONFIGURED);
                assertThat(refused.effect()).isEqualTo(Effect.NONE);
            }
            await().untilAsserted(() -> side.take(session, ELECTION));
        }
    }
}
