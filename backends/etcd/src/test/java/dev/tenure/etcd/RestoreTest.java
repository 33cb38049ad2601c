// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.Tenure;
import dev.tenure.Term;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.testing.InMemoryFence;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that has lost terms counts its revisions from too low; tokens go on all the same. */
@Tag("server")
class RestoreTest {
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofSeconds(60);

    private final InMemoryFence ledger = new InMemoryFence("ledger");
    private EtcdCluster cluster;

    @BeforeEach
    void start() {
        cluster = EtcdCluster.start(EtcdServers.NEWEST, 3);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Tenure tenure(String node) {
        return Tenure.connect(cluster.url("restore")).node(node).ttl(TTL).open();
    }

    private Candidacy stand(Tenure tenure) {
        return tenure.elect("sweeper").fencedBy(ledger).perform(leadership -> {
            while (leadership.isActive()) {
                leadership.rest(Duration.ofSeconds(1));
            }
        });
    }

    private static Term leading(Candidacy candidacy) throws InterruptedException {
        assertThat(candidacy.awaitLeading(SOON)).isTrue();
        return candidacy.term().orElseThrow();
    }

    private static Term newerThan(Term before, Candidacy candidacy) {
        await().atMost(SOON)
                .until(() -> candidacy
                        .term()
                        .filter(term -> term.token().isNewerThan(before.token()))
                        .isPresent());
        return candidacy.term().orElseThrow();
    }

    private void writeMore() {
        for (int i = 0; i < 50; i++) {
            cluster.post("/v3/kv/put", "{\"key\":\"" + EtcdCluster.base64("noise") + "\"}");
        }
    }

    @Test
    void after_a_restore_from_an_older_backup_one_who_saw_more_raises_the_era_and_leads_above_it(@TempDir Path folder)
            throws Exception {
        try (Tenure tenure = tenure("one")) {
            Candidacy candidacy = stand(tenure);
            Term saved = leading(candidacy);
            Path backup = cluster.saveTo(folder.resolve("backup"));
            writeMore();
            candidacy.resign("so that there is a term which the backup does not know");
            Term lost = newerThan(saved, candidacy);

            cluster.restoreFrom(backup);

            Term after = newerThan(lost, candidacy);
            assertThat(after.token().era()).isPositive();
        }
    }

    @Test
    void after_a_cluster_was_rebuilt_from_nothing_a_new_process_is_lifted_above_what_the_fence_has_seen()
            throws Exception {
        writeMore();
        Term before;
        try (Tenure tenure = tenure("before")) {
            before = leading(stand(tenure));
        }

        cluster.rebuild();

        try (Tenure tenure = tenure("after")) {
            Term after = leading(stand(tenure));
            assertThat(after.token()).isGreaterThan(before.token());
            assertThat(after.token().era()).isPositive();
        }
    }
}
