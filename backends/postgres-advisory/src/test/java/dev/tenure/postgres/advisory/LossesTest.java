// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.support.TcpLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections, rows and servers that go away. With a TTL of minutes nothing here can be told by a heartbeat or by expiry. */
@Tag("server")
class LossesTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final ElectionName ELECTION = ElectionName.of("billing/sweeper");
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int MANY = 300;

    private static String key(String prefix) {
        return Long.toString(new ElectionTables.LockKeys("public." + prefix + "epochs").of(ELECTION));
    }

    private static String holders(String prefix) {
        return "FROM pg_locks WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32) | objid::bigint = "
                + key(prefix);
    }

    @Test
    void b66_a_leader_whose_connection_is_terminated_is_told_at_once_and_its_heartbeat_says_so_too() {
        try (Side side = new Side(AdvisoryServer.url("b66"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted grant = side.take(session, ELECTION);

            AdvisoryServer.shared().ask("SELECT pg_terminate_backend(pid) " + holders("t_b66_"));

            assertThat(side.lossTold()).contains("terminated");
            assertThat(side.ask(session::renew)).isInstanceOf(RenewReply.Gone.class);
            assertThat(side.ask(() -> session.holds(new Term(ELECTION, grant.token(), grant.nonce(), "holder"))))
                    .isFalse();
            BackendSession next = side.open(LONG);
            ClaimReply.Granted again = side.take(next, ELECTION);
            assertThat(again.token()).isGreaterThan(grant.token());
            assertThat(again.takeover()).isTrue();
        }
    }

    @Test
    void a_single_candidate_waits_in_the_servers_queue_and_is_granted_when_the_holder_is_terminated() {
        try (Side holder = new Side(AdvisoryServer.url("queue"));
                Side rival = new Side(AdvisoryServer.url("queue"))) {
            ClaimReply.Granted first = holder.take(holder.open(LONG), ELECTION);
            ClaimReply waiting = rival.claim(rival.open(LONG), ELECTION);

            AdvisoryServer.shared().ask("SELECT pg_terminate_backend(pid) " + holders("t_queue_"));

            assertThat(((ClaimReply.Waiting) waiting).queued()).isTrue();
            assertThat(rival.pushed().token()).isGreaterThan(first.token());
            assertThat(rival.pushed().takeover()).isTrue();
            assertThat(rival.pushed().standoff()).isEqualTo(LONG);
        }
    }

    @Test
    void the_connection_that_waited_is_the_session_from_then_on() {
        try (Side holder = new Side(AdvisoryServer.url("becomes"));
                Side rival = new Side(AdvisoryServer.url("becomes"))) {
            BackendSession held = holder.open(LONG);
            ClaimReply.Granted first = holder.take(held, ELECTION);
            BackendSession session = rival.open(SHORT);
            rival.claim(session, ELECTION);
            holder.ask(() -> held.release(ELECTION, first.nonce()));
            ClaimReply.Granted won = rival.pushed();

            for (int beat = 0; beat < 10; beat++) {
                assertThat(rival.ask(session::renew)).isEqualTo(new RenewReply.Renewed(SHORT));
                await().pollDelay(SHORT.dividedBy(5)).until(() -> true);
            }

            assertThat(rival.ask(() -> session.holds(new Term(ELECTION, won.token(), won.nonce(), "holder"))))
                    .isTrue();
            assertThat(rival.heard().changes()).isEmpty();
        }
    }

    @Test
    void the_end_of_the_connection_that_waited_and_won_is_told_at_once() {
        try (Side holder = new Side(AdvisoryServer.url("wonlost"));
                Side rival = new Side(AdvisoryServer.url("wonlost"))) {
            BackendSession held = holder.open(LONG);
            ClaimReply.Granted first = holder.take(held, ELECTION);
            rival.claim(rival.open(LONG), ELECTION);
            holder.ask(() -> held.release(ELECTION, first.nonce()));
            rival.pushed();

            AdvisoryServer.shared().ask("SELECT pg_terminate_backend(pid) " + holders("t_wonlost_"));

            assertThat(rival.lossTold()).contains("connection");
        }
    }

    @Test
    void b71_a_standby_of_many_elections_is_woken_by_the_end_of_one_connection_without_any_notification() {
        try (Side holder = new Side(AdvisoryServer.url("many"));
                Side rival = new Side(AdvisoryServer.url("many"))) {
            List<ElectionName> elections = new ArrayList<>();
            List<CompletableFuture<ClaimReply>> replies = new ArrayList<>();
            BackendSession session = holder.open(LONG);
            BackendSession standby = rival.open(LONG);
            holder.take(session, ELECTION);
            awaitNotified(holder, session, rival, standby);
            for (int i = 0; i < MANY; i++) {
                ElectionName election = ElectionName.of("shard/" + i);
                ClaimRequest request = holder.request(election);
                elections.add(election);
                replies.add(holder.send(() -> session.claim(request)));
            }
            replies.forEach(Side::within);
            elections.forEach(election -> rival.claim(standby, election));
            rival.heard().forget();

            AdvisoryServer.shared().ask("SELECT pg_terminate_backend(pid) " + holders("t_many_"));

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(rival.heard().changes()).containsAll(elections));
            assertThat(rival.claim(standby, elections.get(0))).isInstanceOf(ClaimReply.Granted.class);
        }
    }

    /** A rival that begins to hear notifications is told of all that it waits for, which would be taken for the end that is tested. */
    private static void awaitNotified(Side holder, BackendSession session, Side rival, BackendSession standby) {
        ElectionName first = ElectionName.of("first");
        ClaimReply.Granted grant = holder.take(session, first);
        rival.claim(standby, ELECTION); // with two it does not wait in the server's queue
        rival.claim(standby, first);
        holder.ask(() -> session.release(first, grant.nonce()));
        await().atMost(PATIENCE).until(() -> rival.heard().changes().contains(first));
    }

    @Test
    void b69_closing_destroys_the_connection_and_leaves_no_lock() {
        try (Side side = new Side(AdvisoryServer.url("b69"))) {
            BackendSession session = side.open(LONG);
            side.take(session, ELECTION);
            String pid = AdvisoryServer.shared().ask("SELECT pid " + holders("t_b69_"));

            side.ask(session::close);

            await().atMost(PATIENCE)
                    .until(() -> AdvisoryServer.shared()
                            .ask("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid)
                            .equals("0"));
            assertThat(AdvisoryServer.shared().ask("SELECT count(*) " + holders("t_b69_")))
                    .isEqualTo("0");
        }
    }

    @Test
    void a_row_that_somebody_changes_by_hand_is_noticed_by_the_next_heartbeat() {
        try (Side side = new Side(AdvisoryServer.url("byhand"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted grant = side.take(session, ELECTION);
            ElectionName other = ElectionName.of("other");
            side.take(session, other);

            AdvisoryServer.shared()
                    .execute("UPDATE t_byhand_epochs SET token = token + 1 WHERE election = '" + ELECTION.encoded()
                            + "'");
            assertThat(side.lostAtRenewal(session)).containsExactly(ELECTION);
            assertThat(side.ask(() -> session.holds(new Term(ELECTION, grant.token(), grant.nonce(), "holder"))))
                    .isFalse();
            side.ask(() -> session.release(ELECTION, grant.nonce()));
            assertThat(AdvisoryServer.shared().ask("SELECT count(*) " + holders("t_byhand_")))
                    .as("a lock without its term stops everybody")
                    .isEqualTo("0");
        }
    }

    @Test
    void a_deleted_row_does_not_bring_a_token_back() {
        try (Side side = new Side(AdvisoryServer.url("deleted"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted first = side.take(session, ELECTION);
            side.ask(() -> session.release(ELECTION, first.nonce()));

            AdvisoryServer.shared().execute("DELETE FROM t_deleted_epochs");

            assertThat(side.take(session, ELECTION).token()).isGreaterThan(first.token());
        }
    }

    /** Whether its one row is missing still, or was made anew by somebody else. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_store_that_was_wiped_is_noticed_by_the_next_heartbeat_and_the_next_session_leads(boolean madeAnew) {
        String namespace = "wiped" + madeAnew;
        try (Side side = new Side(AdvisoryServer.url(namespace));
                Side other = new Side(AdvisoryServer.url(namespace))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted first = side.take(session, ELECTION);
            AdvisoryServer.shared()
                    .execute("DELETE FROM t_" + namespace + "_epochs", "DELETE FROM t_" + namespace + "_epoch_store");
            if (madeAnew) {
                other.open(LONG);
            }

            RenewReply renewed = side.ask(session::renew);
            side.ask(session::close);

            assertThat(renewed).isInstanceOf(RenewReply.Gone.class);
            assertThat(side.take(side.open(LONG), ELECTION).token()).isGreaterThan(first.token());
        }
    }

    @Test
    void a_half_open_connection_is_ended_by_the_server_when_its_time_is_over() {
        try (TcpLink relay = new TcpLink(AdvisoryServer.shared().port());
                Side cutOff = new Side(AdvisoryServer.url(relay.port(), "halfopen"));
                Side rival = new Side(AdvisoryServer.url("halfopen"))) {
            BackendSession session = cutOff.open(SHORT);
            ClaimReply.Granted first = cutOff.take(session, ELECTION);
            rival.claim(rival.open(LONG), ELECTION);

            relay.cut();
            ClaimReply.Granted second = rival.pushed();
            CompletableFuture<RenewReply> renewal = cutOff.send(session::renew);

            assertThat(second.token()).isGreaterThan(first.token());
            assertThat(cutOff.lossTold()).isNotEmpty();
            assertThat(Side.within(renewal)).isInstanceOf(RenewReply.Gone.class);
        }
    }

    @Test
    void b68_b70_a_server_that_hangs_or_crashes_costs_the_session_and_no_lock_and_no_token_is_left_behind() {
        try (Postgres server = Postgres.running();
                Side side = new Side(AdvisoryServer.url(server.port(), "crash"))) {
            BackendSession session = side.open(SHORT);
            ClaimReply.Granted first = side.take(session, ELECTION);
            server.freeze();
            CompletableFuture<ClaimReply> unanswered =
                    side.send(() -> session.claim(side.request(ElectionName.of("another"))));

            assertThat(side.lossTold()).isNotEmpty();
            server.goOn();
            await().atMost(PATIENCE)
                    .until(() -> server.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
                            .equals("0"));
            assertThat(unanswered).isCompletedExceptionally();

            server.kill();
            server.start();
            try (Side after = new Side(AdvisoryServer.url(server.port(), "crash"))) {
                assertThat(after.take(after.open(LONG), ELECTION).token()).isGreaterThan(first.token());
            }
        }
    }

    @Test
    void who_has_won_by_waiting_gives_up_a_server_that_hangs_as_early_as_anybody() {
        try (Postgres server = Postgres.running();
                Side leader = new Side(AdvisoryServer.url(server.port(), "patience"));
                Side waiting = new Side(AdvisoryServer.url(server.port(), "patience"))) {
            BackendSession leading = leader.open(LONG);
            ClaimReply.Granted first = leader.take(leading, ELECTION);
            BackendSession session = waiting.open(SHORT);
            waiting.claim(session, ELECTION);
            leader.ask(() -> leading.release(ELECTION, first.nonce()));
            waiting.pushed();

            server.freeze();
            waiting.send(session::renew);

            assertThat(waiting.lossTold()).as("not after minutes").isNotEmpty();
        }
    }

    @Test
    void b70_a_failover_that_lost_the_last_terms_is_noticed_and_does_not_bring_a_token_back() {
        try (Postgres primary = Postgres.running();
                TcpLink relay = new TcpLink(primary.port());
                Postgres standby = primary.standbyThrough(relay);
                Side before = new Side(AdvisoryServer.url(primary.port(), "failover"));
                Side after = new Side(AdvisoryServer.url(standby.port(), "failover"))) {
            BackendSession session = before.open(LONG);
            takeAndRelease(before, session);
            primary.awaitReplicated();
            relay.cut();
            ClaimReply.Granted last = before.take(session, ELECTION);

            primary.kill();
            standby.promote();

            assertThat(before.lossTold()).isNotEmpty();
            assertThat(after.take(after.open(LONG), ELECTION).token()).isGreaterThan(last.token());
        }
    }

    @Test
    void b62_a_release_that_fails_once_can_be_repeated_and_leaves_neither_lock_nor_holder() {
        try (Side side = new Side(AdvisoryServer.url("b62"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted grant = side.take(session, ELECTION);
            AdvisoryServer.shared()
                    .execute(
                            "CREATE SEQUENCE b62",
                            "CREATE FUNCTION b62_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                                    + " IF nextval('b62') = 1 THEN RAISE EXCEPTION 'not now' USING ERRCODE = '40001';"
                                    + " END IF; RETURN NEW; END $$",
                            "CREATE TRIGGER once BEFORE UPDATE ON t_b62_epochs FOR EACH ROW EXECUTE FUNCTION b62_once()");

            BackendException failure = side.failure(() -> session.release(ELECTION, grant.nonce()));
            ReleaseReply again = side.ask(() -> session.release(ELECTION, grant.nonce()));

            assertThat(failure.effect()).isEqualTo(BackendException.Effect.NONE);
            assertThat(again).isEqualTo(ReleaseReply.RELEASED);
            assertThat(AdvisoryServer.shared().ask("SELECT count(*) " + holders("t_b62_")))
                    .isEqualTo("0");
            assertThat(AdvisoryServer.shared().ask("SELECT session FROM t_b62_epochs"))
                    .isEmpty();
        }
    }

    @Test
    void a_claim_whose_wait_for_a_synchronous_standby_was_cancelled_is_not_taken_for_granted() {
        try (Postgres primary = Postgres.running();
                TcpLink relay = new TcpLink(primary.port());
                Postgres standby = primary.standbyThrough(relay);
                Side side = new Side(AdvisoryServer.url(primary.port(), "doubt"))) {
            primary.waitForStandbys();
            BackendSession session = side.open(LONG);
            relay.cut();
            CompletableFuture<ClaimReply> claim = side.send(() -> session.claim(side.request(ELECTION)));
            String waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
            await().atMost(PATIENCE)
                    .until(() -> primary.ask("SELECT count(*) " + waiting).equals("1"));

            primary.ask("SELECT pg_cancel_backend(pid) " + waiting);

            await().atMost(PATIENCE).until(claim::isDone);
            assertThat(claim).isCompletedExceptionally();
            assertThat(side.lossTold()).contains("synchronous replication");
            assertThat(standby.isRunning()).isTrue();
            relay.heal();
        }
    }

    private static void takeAndRelease(Side side, BackendSession session) {
        ClaimReply.Granted grant = side.take(session, ELECTION);
        side.ask(() -> session.release(ELECTION, grant.nonce()));
    }
}
