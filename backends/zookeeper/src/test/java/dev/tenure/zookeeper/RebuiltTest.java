// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.Tenure;
import dev.tenure.Term;
import dev.tenure.testing.InMemoryFence;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers that have lost everything count their transactions from the beginning (SAFETY §3.4). */
@Tag("server")
class RebuiltTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(60);

    private final InMemoryFence ledger = new InMemoryFence("ledger");
    private Ensemble ensemble;

    @BeforeEach
    void startServers() {
        ensemble = Ensemble.start();
    }

    @AfterEach
    void stopServers() {
        ensemble.close();
    }

    private Tenure tenure(String node) {
        return Tenure.connect(ensemble.url("/rebuilt")).node(node).ttl(TTL).open();
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

    /** Each leader of ZooKeeper is an epoch more, and that is the high half of a token. */
    private void growOld() throws Exception {
        for (int i = 0; i < 2; i++) {
            Server leading = ensemble.leader();
            leading.kill();
            leading.startAgain();
            ensemble.awaitReady();
        }
    }

    @Test
    void one_who_lived_through_it_raises_the_era_and_leads_above_what_it_saw() throws Exception {
        growOld();
        try (Tenure tenure = tenure("one")) {
            Candidacy candidacy = stand(tenure);
            Term before = leading(candidacy);

            ensemble.rebuild();

            Await.until(
                    "a later term",
                    () -> candidacy
                            .term()
                            .filter(term -> term.token().isNewerThan(before.token()))
                            .isPresent());
            assertThat(candidacy.term().orElseThrow().token().era()).isPositive();
        }
    }

    @Test
    void a_new_process_is_lifted_above_what_the_fence_has_seen() throws Exception {
        growOld();
        Term before;
        try (Tenure tenure = tenure("before")) {
            before = leading(stand(tenure));
        }

        ensemble.rebuild();

        try (Tenure tenure = tenure("after")) {
            Term after = leading(stand(tenure));
            assertThat(after.token()).isGreaterThan(before.token());
            assertThat(after.token().era()).isPositive();
        }
    }
}
