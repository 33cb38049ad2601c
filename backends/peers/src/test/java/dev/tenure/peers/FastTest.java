// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.Campaign;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.spi.BackendTraits.FenceRequirement;
import dev.tenure.support.Ports;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The profile that leaves no time to drain starts only with a fence, which refuses what comes late. */
class FastTest {
    private static final Duration A_WHILE = Duration.ofMillis(10);

    @TempDir
    private Path folder;

    private String url(String options) {
        int port = Ports.free();
        return "peers://a@127.0.0.1:" + port + "?me=a&data=" + folder.resolve("" + port) + options;
    }

    private static void untilLost(Leadership leadership) throws InterruptedException {
        while (leadership.isActive()) {
            leadership.rest(A_WHILE);
        }
    }

    @Test
    void with_a_fence_it_leads() {
        try (Tenure tenure = Tenure.connect(url("&profile=fast")).open()) {
            Candidacy candidacy = tenure.elect("x").fencedBy(term -> {}).perform(FastTest::untilLost);

            await().atMost(Trio.PATIENCE).until(candidacy::isLeading);
        }
    }

    @Test
    void without_a_fence_it_is_refused_also_where_best_effort_is_acknowledged() {
        try (Tenure tenure =
                Tenure.connect(url("&profile=fast")).acknowledgeBestEffort().open()) {
            Campaign campaign = tenure.elect("x");

            assertThatThrownBy(() -> campaign.perform(FastTest::untilLost))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("starts only with a fence (profile=fast leaves a leader 150 ms")
                    .hasMessageContaining("fencedBy");
        }
    }

    @Test
    void a_drain_budget_is_refused() {
        try (Tenure tenure = Tenure.connect(url("&profile=fast")).open()) {
            Campaign campaign = tenure.elect("x").fencedBy(term -> {}).drainWithin(A_WHILE);

            assertThatThrownBy(() -> campaign.perform(FastTest::untilLost))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a drain of 10ms cannot be had on peers a (raft) (profile=fast leaves");
        }
    }

    @Test
    void bully_is_no_exception_and_the_default_profile_needs_none() {
        try (Tenure bully = Tenure.connect(url("&profile=fast&algorithm=bully")).open()) {
            assertThat(bully.traits().fenceRequirement()).isEqualTo(FenceRequirement.FENCE);
        }
        try (Tenure usual = Tenure.connect(url("")).open()) {
            assertThat(usual.traits().fenceRequirement()).isEqualTo(FenceRequirement.BY_GRADE);
        }
    }
}
