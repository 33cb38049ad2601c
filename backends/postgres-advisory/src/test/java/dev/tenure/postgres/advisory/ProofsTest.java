// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.Term;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lock, row and server process: none of them alone proves a term. */
@Tag("server")
class ProofsTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ElectionName ELECTION = ElectionName.of("billing");
    private static final ElectionName FIRST = ElectionName.of("first");

    private static Term term(ClaimReply.Granted grant) {
        return new Term(ELECTION, grant.token(), grant.nonce(), "holder");
    }

    @Test
    void a_term_whose_lock_is_gone_is_not_held_and_the_next_heartbeat_tells() {
        try (Side side = new Side(AdvisoryServer.url("unlocked"))) {
            BackendSession session = side.open(LONG);
            side.take(session, FIRST);
            AdvisoryServer.shared()
                    .execute(
                            "CREATE OR REPLACE FUNCTION t_unlocked_now() RETURNS trigger LANGUAGE plpgsql AS"
                                    + " $$ BEGIN PERFORM pg_advisory_unlock(NEW.lock_key); RETURN NULL; END $$",
                            "CREATE TRIGGER unlocked AFTER INSERT ON t_unlocked_epochs"
                                    + " FOR EACH ROW EXECUTE FUNCTION t_unlocked_now()");
            ClaimReply.Granted grant = side.take(session, ELECTION);

            assertThat(side.ask(() -> session.holds(term(grant)))).isFalse();
            assertThat(side.lostAtRenewal(session)).containsExactly(ELECTION);
        }
    }

    @Test
    void a_term_whose_row_has_another_nonce_is_not_held() {
        try (Side side = new Side(AdvisoryServer.url("nonce"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted grant = side.take(session, ELECTION);
            assertThat(side.ask(() -> session.holds(term(grant)))).isTrue();

            AdvisoryServer.shared().execute("UPDATE t_nonce_epochs SET nonce_low = nonce_low + 1");

            assertThat(side.ask(() -> session.holds(term(grant)))).isFalse();
        }
    }

    @Test
    void a_token_is_above_the_last_one_also_where_that_is_ahead_of_the_clock() {
        try (Side side = new Side(AdvisoryServer.url("ahead"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted first = side.take(session, ELECTION);
            side.ask(() -> session.release(ELECTION, first.nonce()));
            AdvisoryServer.shared().execute("UPDATE t_ahead_epochs SET token = token + 3600000");

            ClaimReply.Granted next = side.take(session, ELECTION);

            assertThat(next.token().value()).isEqualTo(first.token().value() + 3_600_001);
        }
    }

    @Test
    void a_release_leaves_the_row_of_another_session_alone_and_lets_the_lock_go() {
        try (Side side = new Side(AdvisoryServer.url("others"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted grant = side.take(session, ELECTION);
            AdvisoryServer.shared().execute("UPDATE t_others_epochs SET session = 'somebody else'");

            ReleaseReply reply = side.ask(() -> session.release(ELECTION, grant.nonce()));

            assertThat(reply).isEqualTo(ReleaseReply.NOT_HELD);
            assertThat(AdvisoryServer.shared().ask("SELECT session FROM t_others_epochs"))
                    .isEqualTo("somebody else");
            long key = new ElectionTables.LockKeys("public.t_others_epochs").of(ELECTION);
            assertThat(AdvisoryServer.shared().ask("SELECT pg_try_advisory_lock(" + key + ")"))
                    .isEqualTo("t");
        }
    }

    @Test
    void who_releases_while_it_waits_in_the_servers_queue_does_not_win_any_more() {
        try (Side holder = new Side(AdvisoryServer.url("withdrawn"));
                Side rival = new Side(AdvisoryServer.url("withdrawn"));
                Side third = new Side(AdvisoryServer.url("withdrawn"))) {
            BackendSession held = holder.open(LONG);
            ClaimReply.Granted first = holder.take(held, ELECTION);
            BackendSession waiting = rival.open(LONG);
            ClaimRequest request = rival.request(ELECTION);
            rival.ask(() -> waiting.claim(request));

            ReleaseReply withdrawn = rival.ask(() -> waiting.release(ELECTION, request.nonce()));
            holder.ask(() -> held.release(ELECTION, first.nonce()));

            assertThat(withdrawn).isEqualTo(ReleaseReply.NOT_HELD);
            assertThat(third.claim(third.open(LONG), ELECTION)).isInstanceOf(ClaimReply.Granted.class);
        }
    }

    @Test
    void who_waits_in_the_servers_queue_while_the_era_is_raised_asks_again_and_wins_in_the_new_one() {
        try (Side holder = new Side(AdvisoryServer.url("newera"));
                Side rival = new Side(AdvisoryServer.url("newera"))) {
            BackendSession held = holder.open(LONG);
            ClaimReply.Granted first = holder.take(held, ELECTION);
            BackendSession waiting = rival.open(LONG);
            ClaimRequest request = rival.request(ELECTION);
            rival.ask(() -> waiting.claim(request));

            await().atMost(PATIENCE).until(() -> {
                holder.ask(() -> holder.backend().raiseEra(7));
                return rival.heard().changes().contains(ELECTION);
            });
            rival.ask(() -> waiting.claim(request));
            holder.ask(() -> held.release(ELECTION, first.nonce()));

            // Told once more of the new era it asks once more, as the engine does.
            ClaimReply won = await().atMost(PATIENCE)
                    .until(() -> rival.ask(() -> waiting.claim(request)), ClaimReply.Granted.class::isInstance);
            assertThat(((ClaimReply.Granted) won).token().era()).isEqualTo(7);
        }
    }

    /** One that is promoted must know of the term, or its token could be handed out again. */
    @Test
    void a_claim_waits_for_a_synchronous_standby() {
        try (Postgres server = Postgres.running();
                Side side = new Side(AdvisoryServer.url(server.port(), "synchronous"))) {
            BackendSession session = side.open(LONG);
            side.take(session, FIRST);
            server.execute("ALTER SYSTEM SET synchronous_standby_names = 'not_there'", "SELECT pg_reload_conf()");
            Deque<CompletableFuture<ClaimReply>> claims = new ArrayDeque<>();

            // The server's processes hear of it one after the other, and until all have, a commit waits for nobody.
            await().atMost(PATIENCE).until(() -> {
                if (claims.isEmpty() || claims.getLast().isDone()) {
                    ClaimRequest request = side.request(ElectionName.of("e" + claims.size()));
                    claims.add(side.send(() -> session.claim(request)));
                }
                return server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                        .equals("1");
            });

            CompletableFuture<ClaimReply> claim = claims.getLast();
            assertThat(claim).isNotDone();
            server.execute("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()");
            assertThat(Side.within(claim)).isInstanceOf(ClaimReply.Granted.class);
        }
    }

    @Test
    void a_heartbeat_that_another_server_process_answers_is_none() throws Exception {
        JdbcTarget place = JdbcTarget.of(BackendUrl.parse(AdvisoryServer.url("swapped")));
        ElectionTables tables = new ElectionTables(place.options());
        AdvisoryErrors errors = new AdvisoryErrors(place, tables);
        Host host = SystemHost.start("test");
        LockConnection line = new LockConnection.Factory(place, errors, host).open(Optional.of(LONG));
        try {
            ElectionSql.Pulse own = Side.within(line.run(connection -> beat(line, connection, tables, errors)));
            LockConnection.Identity real = line.identity();
            LockConnection.Identity pid = new LockConnection.Identity(real.pid() + 1, real.startMicros(), real.key());
            LockConnection.Identity start = new LockConnection.Identity(real.pid(), real.startMicros() - 1, real.key());

            assertThat(own).isInstanceOf(ElectionSql.Pulse.Alive.class);
            for (LockConnection.Identity other : new LockConnection.Identity[] {pid, start}) {
                ElectionSql.Pulse pulse = Side.within(line.run(connection ->
                        beat(new LockConnection(connection, other, host, errors), connection, tables, errors)));
                assertThat(pulse).as(other.toString()).isInstanceOf(ElectionSql.Pulse.Dead.class);
            }
        } finally {
            line.end("the test is over");
            host.shutdown();
        }
    }

    private static ElectionSql.Pulse beat(
            LockConnection line, Connection connection, ElectionTables tables, AdvisoryErrors errors)
            throws SQLException {
        ElectionTables.Found found = tables.ensure(connection, "store", errors);
        AdvisorySession.Info me = new AdvisorySession.Info("session", found.era(), LONG, found.keys(), 100);
        return new ElectionSql(tables, errors).heartbeat(line, connection, me, 0);
    }
}
