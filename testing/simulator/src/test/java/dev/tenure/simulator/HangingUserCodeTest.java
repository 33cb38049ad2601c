// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.simulator.plan.StoreKind;
import dev.tenure.simulator.trace.FaultKind;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many elections in each process, whose code is slow everywhere and hangs in some: it costs nobody else's election. */
@Tag("slow")
final class HangingUserCodeTest {
    private static final long SEEDS = Long.getLong("tenure.hanging.seeds", 10);

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void no_seed_breaks_an_invariant_where_user_code_hangs(StoreKind store) {
        StringBuilder told = new StringBuilder();
        SimOptions options = SimOptions.seeds(SEEDS).from(30_000).hanging(true).store(Optional.of(store));

        SimReport report = Simulator.run(options, told, Runnable::run, System::nanoTime);

        System.out.println(
                "verify: user code that hangs, " + store + ": " + report.text().strip());
        assertThat(report.violations()).as(told.toString()).isEmpty();
        assertThat(report.faults().get(FaultKind.CALLBACK_HANGS)).isPositive();
        assertThat(report.faults().get(FaultKind.CALLBACK_SLOW)).isPositive();
        assertThat(report.faults().get(FaultKind.LISTENER_HANGS)).isPositive();
    }

    @Test
    void a_campaign_with_threads_of_user_code_has_the_same_hash_again() {
        SimOptions options = SimOptions.seeds(10).from(31_000).hanging(true);

        SimReport once = Simulator.run(options, new StringBuilder(), Runnable::run, System::nanoTime);
        SimReport again = Simulator.run(options, new StringBuilder(), Runnable::run, System::nanoTime);

        assertThat(again.totals().hash()).isEqualTo(once.totals().hash());
        assertThat(again.totals().events()).isEqualTo(once.totals().events());
    }
}
