package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.sql.servers.Postgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** How many statements a handover is, as PostgreSQL itself counts them. */
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
    void a_handover_is_one_statement_that_gives_and_one_that_takes() throws InterruptedException {
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
                assertThat(calls("%FOR SHARE%")).isEqualTo(1);
                assertThat(calls("%"))
                        .as("and who left looks at its session and removes it")
                        .isEqualTo(4);
            }
        }
    }

    @Test
    void a_crowd_that_waits_does_not_look_who_leads_now() throws InterruptedException {
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
            // Who looks, and at the holder's session too, needs two more each; a few may be due for a look anyway.
            assertThat(calls("%")).isLessThan(3L * crowd);
            waiting.forEach(Stander::close);
        }
    }
}
