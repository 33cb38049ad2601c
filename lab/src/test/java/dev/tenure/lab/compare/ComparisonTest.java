// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ComparisonTest {
    @ParameterizedTest
    @EnumSource(Benchmark.class)
    void what_is_measured_agrees_with_theory(Benchmark benchmark) {
        for (int nodes : List.of(3, 8, 21, 55)) {
            Measurement measurement = Measurement.measure(benchmark, nodes, 60, 1);

            assertThat(measurement.isWithinTheory())
                    .as("%s, theory %s to %s", measurement, benchmark.low(nodes), benchmark.high(nodes))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Benchmark.class)
    void the_documentation_shows_what_is_measured_now(Benchmark benchmark) throws IOException {
        String start = "| " + benchmark.title() + " | ";
        String measured =
                String.format(Locale.ROOT, " | %.1f | %.1f | ", messages(benchmark, 3), messages(benchmark, 11));

        assertThat(Files.readAllLines(Path.of("..", "docs", "algorithms.md")))
                .anyMatch(line -> line.startsWith(start) && line.contains(measured));
    }

    private static double messages(Benchmark benchmark, int nodes) {
        return Measurement.measure(benchmark, nodes, 200, 1).messages().mean();
    }

    @Test
    void the_worst_cases_grow_with_the_square_and_the_others_do_not() {
        assertThat(growth(Benchmark.BULLY_WORST)).isGreaterThan(14);
        assertThat(growth(Benchmark.CHANG_ROBERTS_WORST)).isGreaterThan(12);
        assertThat(growth(Benchmark.CHANG_ROBERTS)).isLessThan(8);
        assertThat(growth(Benchmark.HIRSCHBERG_SINCLAIR)).isLessThan(8);
        assertThat(growth(Benchmark.BULLY_BEST)).isEqualTo(4);
        assertThat(growth(Benchmark.RING)).isEqualTo(4);
    }

    /** By what factor four times the nodes need more messages. */
    private static double growth(Benchmark benchmark) {
        return Measurement.measure(benchmark, 64, 20, 1).messages().mean()
                / Measurement.measure(benchmark, 16, 20, 1).messages().mean();
    }

    @Test
    void a_measurement_outside_of_theory_is_seen() {
        Measurement tooMany = new Measurement(Benchmark.BULLY_WORST, 10, 1, new Measurement.Messages(91, 91, 91), 1);
        Measurement tooFew = new Measurement(Benchmark.RING, 10, 1, new Measurement.Messages(19, 19, 19), 1);
        Measurement offAverage =
                new Measurement(Benchmark.CHANG_ROBERTS, 10, 400, new Measurement.Messages(50, 50, 50), 1);

        assertThat(List.of(tooMany, tooFew, offAverage)).noneMatch(Measurement::isWithinTheory);
    }

    @Test
    void sizes_spread_from_the_lowest_to_the_highest() {
        assertThat(Comparison.sizes(3, 101)).startsWith(3).endsWith(101).hasSizeBetween(8, 12);
        assertThat(Comparison.sizes(5, 5)).containsExactly(5);
    }

    @Test
    void a_comparison_is_a_table_of_values_and_a_chart() {
        Comparison comparison = Comparison.run(3, 5, 2, 1, measurement -> {});

        assertThat(comparison.csv().lines()).hasSize(1 + 3 * Benchmark.values().length);
        assertThat(Chart.svg(comparison))
                .startsWith("<svg ")
                .endsWith("</svg>\n")
                .contains("bully, worst case")
                .doesNotContain("NaN");
    }
}
