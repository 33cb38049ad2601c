package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.sql.servers.Postgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How many statements a handover is, as PostgreSQL itself counts them. */
@Tag("server")
class StatementsTest {
    /** Long, so that no heartbeat comes in between. */
    private static final Duration TTL = Duration.ofMinutes(10);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration QUIET = Duration.ofMillis(500);
    private static final String COUNT = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
            + " WHERE query LIKE '%tenure_records%' AND query NOT LIKE '%pg_stat_statements%'";

    private final Postgres server = Postgres.running("shared_preload_libraries=pg_stat_statements");

    private long calls(String among) {
        return Long.parseLong(server.ask(COUNT + " AND query LIKE '" + among + "'"));
    }

    private void awaitQuiet() {
        long[] last = {-1};
        Awaitility.await("no more statements").atMost(PATIENCE).during(QUIET).until(() -> {
            long before = last[0];
            last[0] = calls("%");
            return before == last[0];
        });
    }

    private Stander stander() {
        return Stander.at(server.url(), TTL);
    }

    @Test
    void a_handover_is_one_write_that_gives_and_one_that_takes() throws InterruptedException {
        server.execute("CREATE EXTENSION pg_stat_statements");
        try (server;
                Stander first = stander()) {
            first.awaitLeadership();
            try (Stander next = stander()) {
                awaitQuiet();
                server.ask("SELECT pg_stat_statements_reset()");

                first.close();
                next.awaitLeadership();
                awaitQuiet();

                assertThat(calls("%UPDATE%")).isEqualTo(2);
                assertThat(calls("%"))
                        .as(
                                "a look before the claim and one at the session after it, perhaps one at what was announced;"
                                        + " and the session of the one that left is looked at and removed")
                        .isBetween(6L, 7L);
            }
        }
    }

    @Test
    void a_crowd_that_waits_costs_a_bounded_number_of_statements_each() throws InterruptedException {
        server.execute("CREATE EXTENSION pg_stat_statements");
        int crowd = 8;
        List<Stander> waiting = new ArrayList<>();
        try (server;
                Stander first = stander()) {
            first.awaitLeadership();
            for (int i = 0; i < crowd; i++) {
                waiting.add(stander());
            }
            awaitQuiet();
            server.ask("SELECT pg_stat_statements_reset()");

            first.close();
            Awaitility.await("one leads")
                    .atMost(PATIENCE)
                    .until(() -> waiting.stream().anyMatch(Stander::hasLedAgain));
            awaitQuiet();

            // Each may come too late once, and is shown who came first; whoever heads for it first has to try.
            assertThat(calls("%UPDATE%")).isLessThanOrEqualTo(1 + crowd);
            // Each looks at the release and at the new claim, is perhaps refused, and looks at the new holder's
            // session.
            assertThat(calls("%")).isLessThanOrEqualTo(6L * crowd);
            waiting.forEach(Stander::close);
        }
    }
}
