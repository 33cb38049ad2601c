// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.consul.servers.ConsulCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What two processes with a thousand elections cost the servers. */
@Tag("server")
class ManyElectionsTest {
    private static final int ELECTIONS = 1000;
    private static final Duration TTL = Duration.ofSeconds(4);
    private static final Duration SOON = Duration.ofSeconds(60);

    private final ConsulCluster cluster = SharedServers.cluster();
    private final String prefix = "many-" + UUID.randomUUID().toString().substring(0, 8);

    private static List<Candidacy> stand(Tenure tenure) {
        List<Candidacy> all = new ArrayList<>();
        for (int i = 0; i < ELECTIONS; i++) {
            all.add(tenure.elect("e" + i).run(new Nothing()));
        }
        return all;
    }

    private String through(HttpProxy proxy) {
        return "consul://" + proxy.address() + "/" + prefix;
    }

    @Test
    void a_thousand_elections_cost_a_renewal_and_a_waiting_query_and_pass_to_another_process() {
        try (HttpProxy first = new HttpProxy(cluster.nodes().get(0).httpPort());
                HttpProxy second = new HttpProxy(cluster.nodes().get(1).httpPort());
                Tenure leader = Tenure.connect(through(first)).ttl(TTL).open();
                Tenure standby = Tenure.connect(through(second)).ttl(TTL).open()) {
            List<Candidacy> leading = stand(leader);
            await("the first leads all")
                    .atMost(SOON)
                    .until(() -> leading.stream().allMatch(Candidacy::isLeading));
            List<Candidacy> waiting = stand(standby);
            await("the second has asked for all")
                    .atMost(SOON)
                    .until(() -> second.requests().stream()
                                    .mapToInt(request -> request.split("get-tree", -1).length - 1)
                                    .sum()
                            >= ELECTIONS);

            long renewals = leader.stats().renewals();
            await("both are quiet").atMost(SOON).until(() -> leader.stats().renewals() >= renewals + 2);
            first.requests().clear();
            second.requests().clear();
            long from = leader.stats().renewals();
            long fromStandby = standby.stats().renewals();
            await().atMost(SOON)
                    .until(() -> leader.stats().renewals() >= from + 8
                            && standby.stats().renewals() >= fromStandby + 8);

            assertThat(first.requests()).as("two TTLs of the leader").hasSizeLessThanOrEqualTo(8 + 8 + 6);
            assertThat(second.requests()).as("two TTLs of the standby").hasSizeLessThanOrEqualTo(8 + 8 + 6);

            leader.close();
            await("the second leads all")
                    .atMost(SOON)
                    .until(() -> waiting.stream().allMatch(Candidacy::isLeading));
        }
    }

    private static final class Nothing implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }
}
