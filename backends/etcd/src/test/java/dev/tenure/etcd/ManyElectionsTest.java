// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.etcd.cluster.EtcdServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What one process costs a cluster, however much it leads. */
@Tag("all")
@Tag("server")
class ManyElectionsTest {
    private static final int ELECTIONS = 10_000;
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void ten_thousand_elections_hang_on_one_lease_and_cost_one_keep_alive() {
        try (EtcdCluster cluster = EtcdCluster.start(EtcdServers.NEWEST, 1);
                Tenure tenure = Tenure.connect(cluster.url("many"))
                        .ttl(Duration.ofSeconds(20))
                        .open()) {
            List<Candidacy> all = new ArrayList<>();
            for (int i = 0; i < ELECTIONS; i++) {
                all.add(tenure.elect("e" + i).run(new Nothing()));
            }
            await().atMost(SOON).until(() -> all.stream().allMatch(Candidacy::isLeading));

            assertThat(cluster.leases()).hasSize(1);
            long renewals = tenure.stats().renewals();
            long keepAlives = cluster.keepAlives();
            await().atMost(SOON).until(() -> tenure.stats().renewals() >= renewals + 2);
            assertThat(cluster.keepAlives() - keepAlives).isBetween(2L, 3L);
        }
    }

    private static final class Nothing implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }
}
