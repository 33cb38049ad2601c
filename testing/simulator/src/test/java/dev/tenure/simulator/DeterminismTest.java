// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The same seed gives the same trace: in one process twice, with and without text, on any machine and any JDK. */
final class DeterminismTest {
    private static final long SEEDS = 60;

    @Test
    void a_campaign_that_is_run_twice_has_the_same_hash() {
        ExecutorService workers = Executors.newFixedThreadPool(2);
        try {
            SimOptions options = SimOptions.seeds(SEEDS).from(20_000);

            SimReport once = Simulator.run(options, new StringBuilder(), workers, System::nanoTime);
            SimReport again = Simulator.run(options.workers(2), new StringBuilder(), workers, System::nanoTime);

            assertThat(again.totals().hash()).isEqualTo(once.totals().hash());
            assertThat(again.totals().events()).isEqualTo(once.totals().events());
        } finally {
            workers.shutdownNow();
        }
    }

    @Test
    void writing_the_trace_down_does_not_change_it() {
        for (long seed = 1; seed <= 10; seed++) {
            SimReport read = Simulator.replay(seed, new StringBuilder());
            SimReport silent =
                    Simulator.run(SimOptions.seeds(1).from(seed), new StringBuilder(), Runnable::run, () -> 0);

            assertThat(read.totals().hash())
                    .as("seed %d", seed)
                    .isEqualTo(silent.totals().hash());
        }
    }

    @Test
    void different_seeds_have_different_traces() {
        assertThat(Simulator.hashOf(1)).isNotEqualTo(Simulator.hashOf(2));
    }
}
