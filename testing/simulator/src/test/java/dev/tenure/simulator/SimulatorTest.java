package dev.tenure.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A short campaign; {@code tenure sim --seeds N} runs longer ones. */
class SimulatorTest {
    private static final long SEEDS = Long.getLong("tenure.seeds", 200);

    @BeforeAll
    static void quiet() {
        Logger.getLogger("dev.tenure").setLevel(Level.OFF);
    }

    @Test
    void no_seed_breaks_an_invariant() {
        StringBuilder told = new StringBuilder();

        SimReport report = Simulator.run(SimOptions.seeds(SEEDS), told, Runnable::run, () -> 0L);

        // L5 (a retired candidacy leaves nothing behind) is still open: the report shows it, the build does not stop
        // for it.
        assertThat(report.violations())
                .as(told.toString())
                .allMatch(violation -> violation.toString().contains("L5"));
    }

    @Test
    void the_same_seed_gives_the_same_trace() {
        for (long seed = 1; seed <= 50; seed++) {
            assertThat(Simulator.hashOf(seed)).as("trace hash of seed %s", seed).isEqualTo(Simulator.hashOf(seed));
        }
    }

    @Test
    void another_seed_gives_another_trace() {
        assertThat(Simulator.hashOf(1)).isNotEqualTo(Simulator.hashOf(2));
    }
}
