// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.TcpLink;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A standby takes over that has never heard of the last term (SAFETY §3.4: the same number issued twice). */
@Tag("server")
class FailoverTest {
    private static final Duration TTL = Duration.ofSeconds(1);

    private Postgres primary;
    private TcpLink replication;
    private Postgres standby;

    @BeforeEach
    void start() {
        primary = Postgres.onItsOwnClock();
        replication = new TcpLink(primary.port());
        standby = primary.standbyThrough(replication);
    }

    @AfterEach
    void stop() {
        standby.close();
        replication.close();
        primary.close();
    }

    /** As docs/backends/jdbc.md says. */
    private String url() {
        return "postgresql://" + SqlServer.USER + ":" + SqlServer.PASSWORD + "@127.0.0.1:" + primary.port()
                + ",127.0.0.1:" + standby.port() + "/postgres?targetServerType=primary";
    }

    /** A term that the standby has, and one that it has not. */
    private long lostToken(InMemoryFence ledger) throws InterruptedException {
        try (Stander first = Stander.at(url(), TTL, ledger)) {
            first.awaitLeadership();
            primary.awaitReplicated();
        }
        replication.cut();
        try (Stander second = Stander.at(url(), TTL, ledger)) {
            return second.awaitLeadership().token().value();
        }
    }

    private void failOver(Duration clockAhead) {
        primary.kill();
        standby.clock().move(clockAhead);
        standby.promote();
    }

    @Test
    void a_token_that_the_standby_never_got_does_not_come_back() throws InterruptedException {
        long lost = lostToken(new InMemoryFence("the ledger"));

        failOver(Duration.ZERO);

        try (Stander knowsNothing = Stander.at(url(), TTL)) {
            assertThat(knowsNothing.awaitLeadership().token().value()).isGreaterThan(lost);
        }
    }

    @Test
    void with_a_clock_that_is_an_hour_behind_the_fence_refuses_the_token_and_the_next_one_is_above_it()
            throws InterruptedException {
        InMemoryFence ledger = new InMemoryFence("the ledger");
        List<Long> raised = new CopyOnWriteArrayList<>();
        long lost = lostToken(ledger);

        failOver(Duration.ofHours(-1));

        try (Stander knowsNothing = Stander.at(url(), TTL, term -> {
            raised.add(term.token().value());
            ledger.raise(term);
        })) {
            long led = knowsNothing.awaitLeadership().token().value();

            assertThat(raised.get(0))
                    .as("what the standby's row and clock give")
                    .isLessThanOrEqualTo(lost);
            assertThat(led).isGreaterThan(lost);
        }
    }

    @Test
    void with_a_clock_that_is_an_hour_behind_one_who_has_seen_the_lost_token_claims_above_it()
            throws InterruptedException {
        List<Long> tokens = new ArrayList<>();
        try (Stander leader = Stander.at(url(), TTL)) {
            tokens.add(leader.awaitLeadership().token().value());
            primary.awaitReplicated();
            replication.cut();
            try (Stander witness = Stander.at(url(), TTL)) {
                leader.close();
                tokens.add(witness.awaitLeadership().token().value());

                failOver(Duration.ofHours(-1));

                tokens.add(witness.awaitLeadership().token().value());
            }
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void a_leader_is_told_that_its_term_was_lost_with_the_primary() throws InterruptedException {
        try (Stander leader = Stander.at(url(), Duration.ofSeconds(20))) {
            Leadership lost = leader.awaitLeadership();
            primary.awaitReplicated();
            replication.cut();
            awaitRenewal(lost);

            failOver(Duration.ZERO);

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> !leader.losses().isEmpty());
            assertThat(leader.losses().get(0))
                    .isInstanceOfSatisfying(
                            Loss.SessionLost.class,
                            loss -> assertThat(loss.toString()).contains("lost writes"));
        }
    }

    private static void awaitRenewal(Leadership leadership) {
        List<String> renewals = new CopyOnWriteArrayList<>();
        leadership.onRenewal(() -> renewals.add("renewed"));
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !renewals.isEmpty());
    }
}
