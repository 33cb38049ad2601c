// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.Term;
import dev.tenure.contract.FaultyBackend;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.internal.lease.LeaseBackend;
import dev.tenure.jdbc.JdbcProvider;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.sql.servers.Postgres;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * B11 of SAFETY: whatever a call of the store throws, before or after it was done, the loop lives, the candidate leads in the
 * end, and nothing is left behind that keeps others out. On both doors to PostgreSQL, with the whole engine above them.
 */
@Tag("server")
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class BugsOfPeersInTheLoopTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String ELECTION = "ledger";

    private final Postgres server = AdvisoryServer.shared();

    /** Row leases or advisory locks. */
    enum Door {
        ROWS("postgresql"),
        LOCKS("postgresql+advisory");

        private final String scheme;

        Door(String scheme) {
            this.scheme = scheme;
        }
    }

    /** A role with tables of its own, so that all its connections can be told from those of others. */
    private final class Place {
        private final Door door;
        private final String role;

        Place(Door door, String name) {
            this.door = door;
            this.role = "b11_" + name + "_" + door.name().toLowerCase(Locale.ROOT);
            server.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'b11'", "CREATE SCHEMA AUTHORIZATION " + role);
        }

        private String url() {
            return door.scheme + "://" + role + ":b11@127.0.0.1:" + server.port() + "/postgres";
        }

        Tenure tenure() {
            return Tenure.connect(url()).ttl(TTL).open();
        }

        Tenure haunted(FaultyBackend faultyBackend) {
            Host host = SystemHost.start("gremlin");
            return Tenure.using(faultyBackend.around(backend(host)))
                    .host(host)
                    .ttl(TTL)
                    .open();
        }

        private Backend backend(Host host) {
            return door == Door.ROWS
                    ? new LeaseBackend(new JdbcProvider().connect(BackendUrl.parse(url()), host), host)
                    : new AdvisoryProvider().connect(BackendUrl.parse(url()), host);
        }

        /** As somebody would who deletes what he does not know. */
        void endSessions() {
            server.execute(
                    door == Door.ROWS
                            ? "DELETE FROM " + role + ".tenure_records WHERE id LIKE 's/%'"
                            : "UPDATE " + role + ".tenure_epoch_store SET store_id = md5(store_id)");
        }

        String requests() {
            return server.ask(
                    door == Door.ROWS
                            ? "SELECT count(*) FROM " + role + ".tenure_records WHERE id LIKE 'o/%'"
                            : "SELECT count(request_verb) FROM " + role + ".tenure_epochs");
        }

        private String sessions() {
            return server.ask(
                    door == Door.ROWS
                            ? "SELECT count(*) FROM " + role + ".tenure_records WHERE id LIKE 's/%'"
                            : "SELECT count(*) FROM " + role + ".tenure_epochs WHERE session <> ''");
        }

        private String connections() {
            return server.ask("SELECT count(*) FROM pg_stat_activity WHERE usename = '" + role + "'");
        }

        /** Somebody else can lead, and what it finds of the dead goes with it. */
        void assertNothingIsLeft() {
            await("nothing is left").atMost(PATIENCE).untilAsserted(() -> {
                try (Tenure next = tenure()) {
                    next.exclusively(ELECTION, PATIENCE, leadership -> {});
                }
                assertThat(sessions()).isEqualTo("0");
            });
            await("no connection is left")
                    .atMost(PATIENCE)
                    .until(() -> connections().equals("0"));
        }
    }

    private static Candidacy stand(Tenure tenure, Fence... fences) {
        return tenure.elect(ELECTION).fencedBy(fences).perform(leadership -> {
            while (leadership.isActive()) {
                leadership.rest(Duration.ofMillis(10));
            }
        });
    }

    private static Term awaitTerm(Candidacy candidacy) {
        await("it leads").atMost(PATIENCE).until(candidacy::isLeading);
        return candidacy.term().orElseThrow();
    }

    private static void awaitTermAfter(Term term, Candidacy candidacy) {
        await("it leads anew")
                .atMost(PATIENCE)
                .until(() -> candidacy
                        .term()
                        .filter(now -> now.token().isNewerThan(term.token()))
                        .isPresent());
    }

    @ParameterizedTest
    @EnumSource
    void b11_whatever_the_store_throws_the_loop_lives_and_no_claim_is_orphaned(Door door) {
        Place place = new Place(door, "throws");
        FaultyBackend faultyBackend = new FaultyBackend("open", "renew", "claim", "release");
        try (Tenure haunted = place.haunted(faultyBackend)) {
            Candidacy candidacy = stand(haunted);

            await("everything went wrong once").atMost(PATIENCE).until(() -> {
                if (candidacy.isLeading()) {
                    candidacy.resign("to see releases fail too");
                }
                return faultyBackend.isDone();
            });

            awaitTerm(candidacy);
        }
        place.assertNothingIsLeft();
    }

    /** On advisory locks nobody asks. On rows it is asked when a heartbeat has read a record that is not as it was written. */
    @Test
    void b11_a_question_that_fails_costs_no_term() {
        Place place = new Place(Door.ROWS, "holds");
        FaultyBackend faultyBackend = new FaultyBackend("holds");
        try (Tenure haunted = place.haunted(faultyBackend)) {
            Candidacy candidacy = stand(haunted);
            Term term = awaitTerm(candidacy);

            await("every question went wrong").atMost(PATIENCE).until(() -> {
                server.execute("UPDATE " + place.role
                        + ".tenure_records SET version = md5(random()::text) WHERE id LIKE 'c/%'");
                return faultyBackend.isDone();
            });

            assertThat(candidacy.term()).contains(term);
        }
        place.assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource
    void b11_a_request_that_cannot_be_cleared_is_obeyed_and_cleared_in_the_end(Door door) {
        Place place = new Place(door, "clear");
        FaultyBackend faultyBackend = new FaultyBackend("clear");
        try (Tenure haunted = place.haunted(faultyBackend);
                Tenure operator = place.tenure()) {
            Candidacy candidacy = stand(haunted);

            await("no request could be cleared").atMost(PATIENCE).until(() -> {
                if (candidacy.isLeading()) {
                    Term term = candidacy.term().orElseThrow();
                    operator.askToResign(ELECTION).toCompletableFuture().join();
                    awaitTermAfter(term, candidacy);
                }
                return faultyBackend.isDone();
            });

            await("the last one is cleared")
                    .atMost(PATIENCE)
                    .until(() -> place.requests().equals("0"));
            awaitTerm(candidacy);
        }
        place.assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource
    void b11_a_lost_session_that_cannot_be_closed_keeps_nobody_out(Door door) {
        Place place = new Place(door, "lost");
        FaultyBackend faultyBackend = new FaultyBackend("close");
        try (Tenure haunted = place.haunted(faultyBackend)) {
            Candidacy candidacy = stand(haunted);

            await("no session could be closed").atMost(PATIENCE).until(() -> {
                Term term = awaitTerm(candidacy);
                place.endSessions();
                awaitTermAfter(term, candidacy);
                return faultyBackend.isDone();
            });

            awaitTerm(candidacy);
        }
        place.assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource
    void b11_a_client_whose_session_cannot_be_closed_is_closed_and_keeps_nobody_out(Door door) {
        Place place = new Place(door, "close");
        FaultyBackend faultyBackend = new FaultyBackend("close");
        while (!faultyBackend.isDone()) {
            try (Tenure haunted = place.haunted(faultyBackend)) {
                awaitTerm(stand(haunted));
            }
        }
        place.assertNothingIsLeft();
    }

    /** A fence knows a token that the store would reach in two days: only another era is above it. */
    @ParameterizedTest
    @EnumSource
    void b11_an_era_that_cannot_be_raised_is_raised_in_the_end(Door door) {
        Place place = new Place(door, "era");
        FaultyBackend faultyBackend = new FaultyBackend("raiseEra");
        String inTwoDays =
                server.ask("SELECT (EXTRACT(EPOCH FROM clock_timestamp() + interval '2 days') * 1000)::bigint");
        FencingToken seen = new FencingToken(Long.parseLong(inTwoDays));
        Fence knowing = term -> {
            if (!term.token().isNewerThan(seen)) {
                throw new StaleTokenException("the ledger", term, seen);
            }
        };
        try (Tenure haunted = place.haunted(faultyBackend)) {
            Candidacy candidacy = stand(haunted, knowing);

            Term term = awaitTerm(candidacy);
            await("no operator could raise it either")
                    .atMost(PATIENCE)
                    .until(() -> raiseInVain(haunted, faultyBackend));

            assertThat(term.token().era()).isEqualTo(1);
            assertThat(candidacy.term()).as("it leads on").contains(term);
            int raised = haunted.era().toCompletableFuture().join().era();
            assertThat(haunted.raiseEra().toCompletableFuture().join().era()).isEqualTo(raised + 1);
        }
        place.assertNothingIsLeft();
    }

    private static boolean raiseInVain(Tenure haunted, FaultyBackend faultyBackend) {
        if (faultyBackend.isDone()) {
            return true;
        }
        try {
            haunted.raiseEra().toCompletableFuture().join();
        } catch (CompletionException failed) {
            return faultyBackend.isDone();
        }
        throw new AssertionError("it should have failed");
    }
}
