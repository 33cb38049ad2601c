// SPDX-License-Identifier: Apache-2.0
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

    /** Long enough for a handover between two heartbeats. */
    private static final Duration CROWD_TTL = Duration.ofSeconds(8);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration QUIET = Duration.ofMillis(500);
    private static final String COUNT = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
            + " WHERE query LIKE '%tenure_records%' AND query NOT LIKE '%pg_stat_statements%'";

    private static final String RENEWALS = "%UPDATE tenure_records%count(*)%";

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
    void in_a_crowd_one_acts_on_a_release() {
        server.execute("CREATE EXTENSION pg_stat_statements");
        int crowd = 20;
        List<Stander> waiting = new ArrayList<>();
        try (server;
                Stander first = Stander.at(server.url(), CROWD_TTL)) {
            Awaitility.await("the first leads").atMost(PATIENCE).until(first::hasLedAgain);
            for (int i = 0; i < crowd; i++) {
                waiting.add(Stander.at(server.url(), CROWD_TTL));
            }
            awaitKnownToEachOther(crowd);
            server.ask("SELECT pg_stat_statements_reset()");

            first.close();
            Awaitility.await("one leads")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> waiting.stream().anyMatch(Stander::hasLedAgain));
            long announced = calls("%pg_notify%");
            long all = calls("%") - calls(RENEWALS);

            assertThat(announced)
                    .as("one gives, one takes, and on a busy machine the next ones may be too early")
                    .isLessThanOrEqualTo(4);
            // About 8 on a quiet machine, and 2 of the one that leaves. On a busy one, turns come before the claim is
            // heard
            // of: then each looks once at most. If all acted at once, it would be 50 to 70.
            assertThat(all).isLessThanOrEqualTo(crowd * 3L / 2 + 10);
            waiting.forEach(Stander::close);
        }
    }

    /** Each has looked around after all others had said where they stand. */
    private void awaitKnownToEachOther(int crowd) {
        Awaitility.await("each says where it stands")
                .atMost(PATIENCE)
                .until(() -> server.ask("SELECT count(*) FROM tenure_records WHERE id LIKE 's/%'"
                                + " AND content LIKE '%stands=%' AND content NOT LIKE '%stands=*%'")
                        .equals(Integer.toString(crowd + 1)));
        server.ask("SELECT pg_stat_statements_reset()");
        // Of those that wait, every second or third renewal reads all sessions along.
        Awaitility.await("each has looked around").atMost(PATIENCE).until(() -> calls(RENEWALS) >= 6L * crowd);
    }
}
