// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.NotificationListener;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Who is woken by a release, and what it leaves behind. */
@Tag("server")
class HandoversTest {
    private static final Duration TTL = Duration.ofSeconds(20);
    private static final int HEARING_MILLIS = 50;
    private static final ElectionName ELECTION = ElectionName.of("billing");
    private static final ElectionName OTHER = ElectionName.of("other");

    private static String locks(String prefix) {
        return AdvisoryServer.shared().ask("SELECT count(*) FROM pg_locks WHERE " + isLock(prefix));
    }

    private static String isLock(String prefix) {
        long key = new ElectionTables.LockKeys("public." + prefix + "epochs").of(ELECTION);
        return "locktype = 'advisory' AND (classid::bigint << 32) | objid::bigint = " + key;
    }

    private static Connection listening(String prefix) throws SQLException {
        Connection connection = AdvisoryServer.shared().connect();
        String channel = new NotificationListener.Channel(prefix + "epochs")
                .find(connection)
                .orElseThrow();
        say(connection, "LISTEN \"" + channel + "\"");
        return connection;
    }

    private static void say(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns when all of these were heard. */
    private static void awaitHeard(Connection listening, String... beginnings) {
        List<String> heard = new ArrayList<>();
        await().untilAsserted(() -> {
            PGNotification[] news = listening.unwrap(PGConnection.class).getNotifications(HEARING_MILLIS);
            for (PGNotification one : news) {
                heard.add(one.getParameter());
            }
            for (String beginning : beginnings) {
                assertThat(heard).anyMatch(text -> text.startsWith(beginning));
            }
        });
    }

    @Test
    void a_release_that_nobody_waits_for_is_announced_and_leaves_no_lock_behind() throws SQLException {
        try (Side side = new Side(AdvisoryServer.url("vacant"))) {
            BackendSession session = side.open(TTL);
            ClaimReply.Granted grant = side.take(session, ELECTION);
            try (Connection listening = listening("t_vacant_")) {
                side.ask(() -> session.release(ELECTION, grant.nonce()));

                awaitHeard(listening, "r ");
                assertThat(locks("t_vacant_")).isEqualTo("0");
            }
        }
    }

    @Test
    void a_release_goes_to_who_waits_for_the_lock_and_is_heard_by_the_others_all_the_same() throws SQLException {
        try (Side holder = new Side(AdvisoryServer.url("inherited"));
                Side heir = new Side(AdvisoryServer.url("inherited"))) {
            BackendSession holding = holder.open(TTL);
            ClaimReply.Granted first = holder.take(holding, ELECTION);
            heir.claim(heir.open(TTL), ELECTION);
            await().until(() -> locks("t_inherited_").equals("2"));
            try (Connection listening = listening("t_inherited_")) {
                holder.ask(() -> holding.release(ELECTION, first.nonce()));

                ClaimReply.Granted second = heir.pushed();
                awaitHeard(listening, "r ", "c ");
                assertThat(second.token()).isGreaterThan(first.token());
                assertThat(second.takeover()).isFalse();
                assertThat(locks("t_inherited_")).isEqualTo("1");
            }
        }
    }

    @Test
    void who_has_won_in_the_queue_does_not_wait_for_a_row_as_long_as_it_waited_there() throws SQLException {
        try (Side holder = new Side(AdvisoryServer.url("impatient"));
                Side heir = new Side(AdvisoryServer.url("impatient"))) {
            BackendSession holding = holder.open(TTL);
            ClaimReply.Granted other = holder.take(holding, OTHER);
            holder.ask(() -> holding.release(OTHER, other.nonce()));
            ClaimReply.Granted first = holder.take(holding, ELECTION);
            BackendSession inheriting = heir.open(TTL);
            heir.claim(inheriting, ELECTION);
            await().until(() -> locks("t_impatient_").equals("2"));
            holder.ask(() -> holding.release(ELECTION, first.nonce()));
            heir.pushed();
            try (Connection stranger = AdvisoryServer.shared().connect()) {
                stranger.setAutoCommit(false);
                say(stranger, "SELECT FROM t_impatient_epochs WHERE election = 'other' FOR UPDATE");

                BackendException refused = heir.failure(() -> inheriting.claim(heir.request(OTHER)));

                assertThat(refused.effect()).isEqualTo(BackendException.Effect.NONE);
                stranger.rollback();
            }
        }
    }

    @Test
    void an_election_that_was_won_by_waiting_is_given_back_if_the_session_gets_another_one_meanwhile() {
        Postgres server = AdvisoryServer.shared();
        try (Side holder = new Side(AdvisoryServer.url("both"));
                Side heir = new Side(AdvisoryServer.url("both"))) {
            BackendSession holding = holder.open(TTL);
            ClaimReply.Granted first = holder.take(holding, ELECTION);
            BackendSession inheriting = heir.open(TTL);
            heir.claim(inheriting, ELECTION);
            await().until(() -> locks("t_both_").equals("2"));
            ClaimRequest other = heir.request(OTHER);

            // The heir's loop stands still until its second connection has won while a claim of the first is on its
            // way.
            ClaimReply answer = heir.ask(() -> {
                CompletionStage<ClaimReply> claim = inheriting.claim(other);
                server.ask(
                        "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE granted AND " + isLock("t_both_"));
                await().until(() -> server.ask("SELECT count(*) FROM t_both_epochs WHERE session <> ''"
                                + " AND token > " + first.token().value() + " AND election = 'billing'")
                        .equals("1"));
                return claim;
            });
            await().until(() -> heir.heard().changes().contains(ELECTION));
            ClaimReply.Granted second = heir.take(inheriting, ELECTION);

            assertThat(answer).isInstanceOf(ClaimReply.Granted.class);
            assertThat(heir.heard().grants()).isEmpty();
            assertThat(second.token()).isGreaterThan(first.token());
            assertThat(second.takeover()).as("the one before did not release").isTrue();
            assertThat(heir.lostAtRenewal(inheriting)).isEmpty();
            assertThat(server.ask("SELECT count(DISTINCT line) FROM t_both_epochs"))
                    .isEqualTo("1");
        }
    }
}
