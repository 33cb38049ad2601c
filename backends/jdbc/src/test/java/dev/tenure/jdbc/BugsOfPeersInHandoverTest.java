// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Standing;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.support.TcpLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What went wrong elsewhere on SQL when an election was begun or handed over (SAFETY §2.5), row by row. */
@Tag("server")
class BugsOfPeersInHandoverTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int NAMES = 10_000;

    private final Postgres server = SharedServers.postgres();

    private String url(String row) {
        return SharedServers.inNamespace(server.url(), row);
    }

    /** Neither a flag that comes too late nor an answer that comes too early keeps it from standing. */
    @Test
    void b60_a_candidate_whose_store_answers_before_it_was_done_asking_leads_without_asking_twice()
            throws InterruptedException {
        OddHost host = OddHost.answeredAtOnce();
        List<TenureEvent.StoreError> troubles = new CopyOnWriteArrayList<>();
        try (Tenure tenure = Tenure.connect(url("b60")).host(host).ttl(LONG).open()) {
            listen(tenure, troubles);
            Stander stander = Stander.of(tenure);

            assertThat(stander.awaitLeadership().isValid()).isTrue();
            assertThat(troubles).isEmpty();
        }
        host.shutdown();
    }

    @Test
    void b60_one_who_never_led_and_leaves_gives_up_nothing_of_the_leader() throws InterruptedException {
        List<TenureEvent.StoreError> troubles = new CopyOnWriteArrayList<>();
        try (Stander leader = Stander.at(url("b60_leaves"), LONG)) {
            leader.awaitLeadership();
            String before = version("b60_leaves");
            try (Stander waits = Stander.at(url("b60_leaves"), LONG)) {
                listen(waits.tenure(), troubles);
                awaitSessions("b60_leaves", 2);
            }

            assertThat(version("b60_leaves")).isEqualTo(before);
            assertThat(leader.losses()).isEmpty();
            assertThat(troubles).isEmpty();
        }
    }

    private static void listen(Tenure tenure, List<TenureEvent.StoreError> troubles) {
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.StoreError trouble) {
                troubles.add(trouble);
            }
        });
    }

    private void awaitSessions(String row, int number) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> server.ask("SELECT count(*) FROM t_" + row + "_records WHERE id LIKE 's/%'")
                        .equals(Integer.toString(number)));
    }

    private String version(String row) {
        return server.ask("SELECT version FROM t_" + row + "_records WHERE id = 'c/" + Stander.ELECTION + "'");
    }

    /** A conflict that was surely rolled back, and a server that goes down in the middle, so that nobody knows. */
    @ParameterizedTest
    @ValueSource(strings = {"40001", "57P01"})
    void b62_a_release_that_fails_once_is_repeated_until_the_row_agrees_with_the_candidate(String sqlState)
            throws InterruptedException {
        String row = "b62_" + sqlState.toLowerCase(Locale.ROOT);
        try (Tenure tenure = Tenure.connect(url(row)).ttl(LONG).open()) {
            AtomicInteger led = new AtomicInteger();
            Candidacy candidacy = tenure.elect(Stander.ELECTION).perform(leadership -> {
                led.incrementAndGet();
                leadership.rest(PATIENCE);
            });
            Awaitility.await().atMost(PATIENCE).until(() -> led.get() == 1);
            failOnce(row, sqlState);

            candidacy.close();

            Awaitility.await().atMost(PATIENCE).until(() -> isVacant(row));
            assertThat(candidacy.standing()).isInstanceOf(Standing.Retired.class);
            assertThat(server.ask("SELECT last_value > 1 FROM " + row))
                    .as("tried again")
                    .isEqualTo("t");
        }
    }

    /** A sequence counts on although the write that asked it was rolled back. */
    private void failOnce(String row, String sqlState) {
        server.execute(
                "CREATE SEQUENCE " + row,
                "CREATE FUNCTION " + row + "_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " IF nextval('" + row + "') = 1 THEN RAISE EXCEPTION 'not now' USING ERRCODE = '" + sqlState
                        + "'; END IF; RETURN NEW; END $$",
                "CREATE TRIGGER once BEFORE UPDATE ON t_" + row + "_records FOR EACH ROW"
                        + " WHEN (NEW.id LIKE 'c/%') EXECUTE FUNCTION " + row + "_once()");
    }

    private boolean isVacant(String row) {
        return server.ask("SELECT content LIKE '%VACANT%' FROM t_" + row + "_records WHERE id = 'c/" + Stander.ELECTION
                        + "'")
                .equals("t");
    }

    @Test
    void b63_ten_thousand_elections_whose_names_have_one_hash_are_led_and_released_independently() {
        List<Candidacy> all = new ArrayList<>();
        try (Tenure tenure =
                Tenure.connect(url("b63")).ttl(Duration.ofMinutes(2)).open()) {
            for (int i = 0; i < NAMES; i++) {
                all.add(tenure.elect(nameWithEqualHash(i)).run(new Nothing()));
            }
            Awaitility.await().atMost(PATIENCE).until(() -> all.stream().allMatch(Candidacy::isLeading));
            Collections.shuffle(all, new Random(63));
            List<Candidacy> released = all.subList(0, NAMES / 2);
            List<Candidacy> kept = all.subList(NAMES / 2, NAMES);

            released.forEach(Candidacy::close);

            Awaitility.await().atMost(PATIENCE).until(() -> held("b63").equals(Integer.toString(NAMES / 2)));
            assertThat(kept).allMatch(Candidacy::isLeading);
        }
        assertThat(held("b63")).isEqualTo("0");
        assertThat(server.ask("SELECT count(*) FROM t_b63_records WHERE id LIKE 's/%'"))
                .as("sessions left behind")
                .isEqualTo("0");
    }

    /** "Aa" and "BB" have the same hash, and so have all that are made of them. */
    private static String nameWithEqualHash(int number) {
        StringBuilder name = new StringBuilder();
        for (int bit = 0; bit < 14; bit++) {
            name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return name.toString();
    }

    private String held(String row) {
        return server.ask("SELECT count(*) FROM t_" + row + "_records WHERE id LIKE 'c/%' AND content LIKE '%HELD%'");
    }

    private static final class Nothing implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }

    @Test
    void b65_with_clocks_ten_minutes_apart_nobody_steals_and_a_late_release_leaves_the_successor_alone()
            throws InterruptedException {
        OddHost slow = OddHost.ahead(Duration.ofMinutes(-5));
        OddHost fast = OddHost.ahead(Duration.ofMinutes(5));
        try (TcpLink link = new TcpLink(server.port());
                Stander old = Stander.of(sameNode(url("b65").replace(":" + server.port(), ":" + link.port()), slow))) {
            Leadership leadership = old.awaitLeadership();
            try (Stander challenger = Stander.of(sameNode(url("b65"), fast))) {
                awaitRenewals(leadership, 10);
                assertThat(old.losses()).isEmpty();
                assertThat(challenger.hasLedAgain()).isFalse();

                link.cut();
                Leadership next = challenger.awaitLeadership();
                String taken = version("b65");
                link.heal();
                old.close();

                awaitRenewals(next, 2);
                assertThat(version("b65")).isEqualTo(taken);
                assertThat(challenger.losses()).isEmpty();
            }
        }
        slow.shutdown();
        fast.shutdown();
    }

    private static Tenure sameNode(String url, OddHost host) {
        return Tenure.connect(url).host(host).ttl(TTL).node("one-host").open();
    }

    private static void awaitRenewals(Leadership leadership, int number) {
        AtomicInteger renewals = new AtomicInteger();
        leadership.onRenewal(renewals::incrementAndGet);
        Awaitility.await().atMost(PATIENCE).until(() -> renewals.get() >= number);
    }
}
