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
    @EnumSource(Contest.class)
    void what_is_measured_agrees_with_theory(Contest contest) {
        for (int nodes : List.of(3, 8, 21, 55)) {
            Cell cell = Cell.measure(contest, nodes, 60, 1);

            assertThat(cell.isWithinTheory())
                    .as("%s, theory %s to %s", cell, contest.low(nodes), contest.high(nodes))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Contest.class)
    void the_documentation_shows_what_is_measured_now(Contest contest) throws IOException {
        String start = "| " + contest.title() + " | ";
        String measured = String.format(Locale.ROOT, " | %.1f | %.1f | ", messages(contest, 3), messages(contest, 11));

        assertThat(Files.readAllLines(Path.of("..", "docs", "algorithms.md")))
                .anyMatch(line -> line.startsWith(start) && line.contains(measured));
    }

    private static double messages(Contest contest, int nodes) {
        return Cell.measure(contest, nodes, 200, 1).messages();
    }

    @Test
    void the_worst_cases_grow_with_the_square_and_the_others_do_not() {
        assertThat(growth(Contest.BULLY_WORST)).isGreaterThan(14);
        assertThat(growth(Contest.CHANG_ROBERTS_WORST)).isGreaterThan(12);
        assertThat(growth(Contest.CHANG_ROBERTS)).isLessThan(8);
        assertThat(growth(Contest.HIRSCHBERG_SINCLAIR)).isLessThan(8);
        assertThat(growth(Contest.BULLY_BEST)).isEqualTo(4);
        assertThat(growth(Contest.RING)).isEqualTo(4);
    }

    /** By what factor four times the nodes need more messages. */
    private static double growth(Contest contest) {
        return Cell.measure(contest, 64, 20, 1).messages()
                / Cell.measure(contest, 16, 20, 1).messages();
    }

    @Test
    void a_measurement_outside_of_theory_is_seen() {
        Cell tooMany = new Cell(Contest.BULLY_WORST, 10, 1, 91, 91, 91, 1);
        Cell tooFew = new Cell(Contest.RING, 10, 1, 19, 19, 19, 1);
        Cell offAverage = new Cell(Contest.CHANG_ROBERTS, 10, 400, 50, 50, 50, 1);

        assertThat(List.of(tooMany, tooFew, offAverage)).noneMatch(Cell::isWithinTheory);
    }

    @Test
    void sizes_spread_from_the_lowest_to_the_highest() {
        assertThat(Comparison.sizes(3, 101)).startsWith(3).endsWith(101).hasSizeBetween(8, 12);
        assertThat(Comparison.sizes(5, 5)).containsExactly(5);
    }

    @Test
    void a_comparison_is_a_table_of_values_and_a_chart() {
        Comparison comparison = Comparison.run(3, 5, 2, 1, cell -> {});

        assertThat(comparison.csv().lines()).hasSize(1 + 3 * Contest.values().length);
        assertThat(Chart.svg(comparison))
                .startsWith("<svg ")
                .endsWith("</svg>\n")
                .contains("bully, worst case")
                .doesNotContain("NaN");
    }
}
