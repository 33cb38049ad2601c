package dev.tenure.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A short campaign; {@code tenure sim --seeds N} runs longer ones. */
class SimulatorTest {
    private static final long SEEDS = Long.getLong("tenure.seeds", 400);

    @Test
    void no_seed_breaks_an_invariant() {
        StringBuilder told = new StringBuilder();

        SimReport report = Simulator.run(SimOptions.seeds(SEEDS), told, Runnable::run, System::nanoTime);

        System.out.println("verify: " + report.text().strip());
        assertThat(report.violations()).as(told.toString()).isEmpty();
    }
}
