// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.support.TcpLink;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.time.Instant;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Somebody sets the clock of the database, or it has none of the client's ideas of time (SAFETY §3.4, B61). */
@Tag("server")
class MovedClockTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    /** Where nothing may be lost: long enough that a busy machine does not lose it. */
    private static final Duration CALM = Duration.ofSeconds(4);

    /** Both are an hour after midnight in UTC; Berlin's clocks go back in the one, and forward in the other. */
    private static final Instant SUMMER_ENDS = Instant.parse("2026-10-25T01:00:00Z");

    private static final Instant SUMMER_BEGINS = Instant.parse("2027-03-28T01:00:00Z");

    private static final AtomicInteger TABLES = new AtomicInteger();
    private static Postgres server;

    private final String url = SharedServers.inNamespace(server.url(), "moved" + TABLES.incrementAndGet());

    @BeforeAll
    static void start() {
        server = Postgres.onItsOwnClock();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void setRight() {
        server.clock().move(Duration.ZERO);
    }

    @Test
    void a_clock_that_was_set_back_by_an_hour_does_not_keep_a_dead_leader_for_an_hour() throws InterruptedException {
        try (TcpLink link = new TcpLink(server.port());
                Stander dies = Stander.at(through(link), TTL);
                Stander waits = Stander.at(standbyOf(dies), TTL)) {
            link.cut();
            server.clock().move(Duration.ofHours(-1));

            Leadership next = waits.awaitLeadership();

            assertThat(next.isValid()).isTrue();
        }
    }

    @Test
    void a_clock_that_was_set_forward_lets_two_believe_and_only_the_newer_write() throws Exception {
        InMemoryFence ledger = new InMemoryFence("the ledger");
        Duration longEnough = Duration.ofMinutes(2);
        try (TcpLink link = new TcpLink(server.port());
                Stander older = Stander.at(through(link), longEnough, ledger)) {
            Leadership old = older.awaitLeadership();
            link.cut();
            server.clock().move(Duration.ofHours(1));

            try (Stander newer = Stander.at(url, longEnough, ledger)) {
                Leadership young = newer.awaitLeadership();

                assertThat(old.isValid()).as("it cannot know").isTrue();
                assertThat(young.token().value()).isGreaterThan(old.token().value());
                assertThatThrownBy(() -> ledger.write(old.term(), () -> {})).isInstanceOf(StaleTokenException.class);
                ledger.write(young, () -> {});
            }
            link.heal();
        }
    }

    @Test
    @ResourceLock(Resources.TIME_ZONE)
    void b61_when_summer_ends_where_the_session_is_nobody_loses_anything() throws InterruptedException {
        leadsThrough(SUMMER_ENDS);
    }

    @Test
    @ResourceLock(Resources.TIME_ZONE)
    void b61_when_summer_begins_where_the_session_is_nobody_loses_anything() throws InterruptedException {
        leadsThrough(SUMMER_BEGINS);
    }

    private void leadsThrough(Instant change) throws InterruptedException {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        try {
            leadsThroughInBerlin(change);
        } finally {
            TimeZone.setDefault(before);
        }
    }

    private void leadsThroughInBerlin(Instant change) throws InterruptedException {
        server.clock().move(Duration.between(Instant.now(), change).minusSeconds(3));
        String inBerlin = url + "&options=-c%20TimeZone=Europe/Berlin";
        try (Stander leader = Stander.at(inBerlin, CALM);
                Stander standby = Stander.at(standbyOf(leader, inBerlin), CALM)) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> server.ask("SELECT clock_timestamp() > '" + change.plus(CALM) + "'")
                            .equals("t"));
            TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
            long renewals = leader.tenure().stats().renewals();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> leader.tenure().stats().renewals() > renewals + 2);

            assertThat(leader.losses()).isEmpty();
            assertThat(standby.hasLedAgain()).isFalse();
        }
    }

    /** The URL for a second one, once the first one leads. */
    private String standbyOf(Stander leader) throws InterruptedException {
        return standbyOf(leader, url);
    }

    private static String standbyOf(Stander leader, String url) throws InterruptedException {
        leader.awaitLeadership();
        return url;
    }

    private String through(TcpLink link) {
        return url.replace(":" + server.port(), ":" + link.port());
    }
}
