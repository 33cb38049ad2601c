// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The trace hashes of a few seeds, written down. They are the same on every machine and every JDK; a change of the engine,
 * the adapter or the simulator changes them, and then the new ones, which the failure shows, are put into the file.
 */
final class GoldenTraceTest {
    private static final int SEEDS = 12;

    @Test
    void the_traces_are_those_that_were_written_down() throws IOException {
        StringBuilder now = new StringBuilder();
        for (long seed = 1; seed <= SEEDS; seed++) {
            now.append(String.format(Locale.ROOT, "%d %016x%n", seed, Simulator.hashOf(seed)));
        }

        assertThat(List.of(now.toString().split("\\R")))
                .as("if the engine or the simulator was changed on purpose, write these into golden-traces.txt")
                .isEqualTo(List.of(golden().split("\\R")));
    }

    private static String golden() throws IOException {
        try (InputStream in = GoldenTraceTest.class.getResourceAsStream("golden-traces.txt")) {
            assertThat(in).as("golden-traces.txt").isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
