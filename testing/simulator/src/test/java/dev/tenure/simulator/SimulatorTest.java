// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.simulator.plan.StoreKind;
import java.util.Optional;
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

    @Test
    void renewals_that_read_records_along_break_no_invariant() {
        StringBuilder told = new StringBuilder();
        SimOptions options = SimOptions.seeds(SEEDS / 2).store(Optional.of(StoreKind.READING));

        SimReport report = Simulator.run(options, told, Runnable::run, System::nanoTime);

        assertThat(report.violations()).as(told.toString()).isEmpty();
    }

    @Test
    void tokens_that_are_drawn_from_records_which_no_fault_takes_back_never_return() {
        StringBuilder told = new StringBuilder();
        SimOptions options = SimOptions.seeds(SEEDS / 4).store(Optional.of(StoreKind.DRAWING));

        SimReport report = Simulator.run(options, told, Runnable::run, System::nanoTime);

        assertThat(report.violations()).as(told.toString()).isEmpty();
    }
}
