// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a thousand elections cost, counted by the server. */
@Tag("server")
class ManyElectionsTest {
    private static final int ELECTIONS = 1_000;
    private static final Duration TTL = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

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

    private static Tenure open(RedisServer server) {
        return Tenure.connect(server.url()).ttl(TTL).acknowledgeBestEffort().open();
    }

    @Test
    void two_clients_in_a_thousand_elections_hand_over_one_of_them() {
        try (RedisServer server = RedisServer.running();
                Tenure leader = open(server);
                Tenure standby = open(server)) {
            List<Candidacy> leading = standInAll(leader);
            Awaitility.await("it leads in all")
                    .atMost(PATIENCE)
                    .until(() -> leading.stream().allMatch(Candidacy::isLeading));
            List<Candidacy> waiting = standInAll(standby);
            long known = scripts(server) + ELECTIONS;
            Awaitility.await("it has asked for all").atMost(PATIENCE).until(() -> scripts(server) >= known);
            Awaitility.await("it is quiet").atMost(PATIENCE).until(() -> scriptsIn(server, TTL) < ELECTIONS / 10);

            System.out.println("verify: " + scriptsIn(server, TTL) + " requests of both in a TTL of 4 s");

            leading.get(ELECTIONS / 2).close();
            Awaitility.await("the standby leads there").atMost(TTL).until(waiting.get(ELECTIONS / 2)::isLeading);
        }
    }

    private static long scriptsIn(RedisServer server, Duration time) {
        long before = scripts(server);
        long until = System.nanoTime() + time.toNanos();
        Awaitility.await("time").atMost(PATIENCE).until(() -> System.nanoTime() - until >= 0);
        return scripts(server) - before;
    }

    private static long scripts(RedisServer server) {
        String stats = server.info("cmdstat_evalsha");
        return Long.parseLong(stats.replaceFirst("calls=([0-9]+),.*", "$1"));
    }
}
