package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.sql.servers.Postgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a standby costs that waits in very many elections, as PostgreSQL itself counts it. */
@Tag("server")
class IdleCostTest {
    private static final int ELECTIONS = 2_000;
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String CALLS = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
            + " WHERE query LIKE '%tenure_records%' AND query NOT LIKE '%pg_stat_statements%'";
    private static final String TRACKINGS = CALLS + " AND query LIKE '%txid_snapshot_xmin%'";

    private static final class Idle implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }

    private static List<Candidacy> standInAll(Tenure tenure) {
        List<Candidacy> candidacies = new ArrayList<>();
        for (int i = 0; i < ELECTIONS; i++) {
            candidacies.add(tenure.elect("many/" + i).run(new Idle()));
        }
        return candidacies;
    }

    @Test
    void a_standby_in_thousands_of_elections_asks_one_question_for_all_and_misses_nothing() {
        Postgres server = Postgres.running("shared_preload_libraries=pg_stat_statements");
        server.execute("CREATE EXTENSION pg_stat_statements");
        try (server;
                Tenure leader = Tenure.connect(server.url()).ttl(TTL).open();
                Tenure standby = Tenure.connect(server.url()).ttl(TTL).open()) {
            List<Candidacy> leading = standInAll(leader);
            Awaitility.await("it leads in all")
                    .atMost(PATIENCE)
                    .until(() -> leading.stream().allMatch(Candidacy::isLeading));
            List<Candidacy> waiting = standInAll(standby);
            long known = asked(server) + 3; // by then it has asked for all of them, and has begun to ask for changes
            Awaitility.await("it looks for changes").atMost(PATIENCE).until(() -> asked(server) >= known);
            server.ask("SELECT pg_stat_statements_reset()");
            long began = System.nanoTime();

            Awaitility.await("some rounds").atMost(PATIENCE).until(() -> asked(server) >= 4);

            double seconds = Duration.ofNanos(System.nanoTime() - began).toMillis() / 1000.0;
            double each = Long.parseLong(server.ask(CALLS)) / seconds / 2;
            assertThat(each).as("statements a second of each of the two").isLessThanOrEqualTo(2);

            leading.get(ELECTIONS / 2).close();
            Awaitility.await("the standby leads there")
                    .atMost(TTL.multipliedBy(2))
                    .until(waiting.get(ELECTIONS / 2)::isLeading);
        }
    }

    private static long asked(Postgres server) {
        return Long.parseLong(server.ask(TRACKINGS));
    }
}
