package dev.tenure.cli.lab;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Printable;
import dev.tenure.cli.text.Table;
import dev.tenure.lab.compare.Cell;
import dev.tenure.lab.compare.Chart;
import dev.tenure.lab.compare.Comparison;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code tenure lab compare}. */
final class CompareAction {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,3})\\.\\.(\\d{1,3})");
    private static final int RUNS_DEFAULT = 20;
    private static final int RUNS_MAX = 100_000;

    private CompareAction() {}

    static int run(Options options, Console console) {
        options.refuseOperands(1);
        LabOptions.only(
                options, List.of(LabOptions.NODES, LabOptions.RUNS, LabOptions.SEED, LabOptions.CSV, LabOptions.SVG));
        String nodes = options.value(LabOptions.NODES).orElse("3..101");
        Matcher range = RANGE.matcher(nodes);
        if (!range.matches()) {
            throw options.wrong("--nodes '" + Printable.line(nodes, 40) + "' is not from..to, such as 3..101");
        }
        Comparison comparison = Comparison.run(
                Integer.parseInt(range.group(1)),
                Integer.parseInt(range.group(2)),
                (int) LabOptions.number(options, LabOptions.RUNS, RUNS_DEFAULT, 1, RUNS_MAX),
                LabOptions.number(options, LabOptions.SEED, 1, 0, Long.MAX_VALUE / 2),
                cell -> console.progress(cell.contest().title() + ", " + cell.nodes() + " nodes"));
        console.progress("");
        if (options.value(LabOptions.SVG).isPresent()) {
            LabFile.named(options.value(LabOptions.SVG).get()).write(Chart.svg(comparison));
        }
        if (options.has(LabOptions.CSV)) {
            console.out().print(comparison.csv());
        } else {
            table(comparison).lines().forEach(console::print);
        }
        return comparison.isWithinTheory() ? ExitCode.OK : ExitCode.NO;
    }

    private static Table table(Comparison comparison) {
        Table table = new Table("CONTEST", "NODES", "MESSAGES", "FEWEST", "MOST", "THEORY", "AT MOST", "HOLDS", "TIME");
        for (Cell cell : comparison.cells()) {
            double high = cell.contest().high(cell.nodes());
            table.row(
                    cell.contest().title(),
                    Integer.toString(cell.nodes()),
                    String.format(Locale.ROOT, "%.1f", cell.messages()),
                    Long.toString(cell.fewest()),
                    Long.toString(cell.most()),
                    cell.contest().theory(),
                    Double.isInfinite(high) ? "" : String.format(Locale.ROOT, "%.0f", high),
                    cell.isWithinTheory() ? "yes" : "NO",
                    String.format(Locale.ROOT, "%.0f ms", cell.millis()));
        }
        return table;
    }
}
