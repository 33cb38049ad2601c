// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Table;
import dev.tenure.lab.check.Check;
import dev.tenure.lab.check.CounterExample;
import dev.tenure.lab.check.CounterExample.Quarry;
import dev.tenure.lab.check.Violation;
import dev.tenure.lab.compare.Chart;
import dev.tenure.lab.compare.Comparison;
import dev.tenure.lab.compare.Measurement;
import dev.tenure.lab.trace.TraceText;
import dev.tenure.simulator.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code tenure lab compare}, {@code check} and {@code search}: what runs an algorithm many times. */
final class ManyRuns {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,3})\\.\\.(\\d{1,3})");
    private static final int RUNS_DEFAULT = 20;
    private static final int RUNS_MAX = 100_000;
    private static final long SEEDS_DEFAULT = 1000;
    private static final long SEEDS_MAX = 1_000_000_000;
    private static final int SHOWN_MAX = 10;
    private static final long PORTION = 200;

    private ManyRuns() {}

    static int compare(Options options, Console console) {
        String nodes = options.value(LabCommand.NODES).orElse("3..101");
        Matcher range = RANGE.matcher(nodes);
        if (!range.matches()) {
            throw options.wrong("--nodes '" + Options.shown(nodes) + "' is not from..to, such as 3..101");
        }
        Comparison comparison = Comparison.run(
                Integer.parseInt(range.group(1)),
                Integer.parseInt(range.group(2)),
                (int) options.number(LabCommand.RUNS, RUNS_DEFAULT, 1, RUNS_MAX),
                options.number(LabCommand.SEED, 1, 0, Long.MAX_VALUE / 2),
                measurement ->
                        console.progress(measurement.benchmark().title() + ", " + measurement.nodes() + " nodes"));
        console.progress("");
        options.value(LabCommand.SVG)
                .ifPresent(file -> LabCommand.LabFile.named(file).write(Chart.svg(comparison)));
        if (options.has(LabCommand.CSV)) {
            console.out().print(comparison.csv());
        } else {
            console.print(table(comparison));
        }
        return comparison.isWithinTheory() ? ExitCode.OK : ExitCode.NO;
    }

    private static Table table(Comparison comparison) {
        Table table = new Table("CONTEST", "NODES", "MESSAGES", "FEWEST", "MOST", "THEORY", "AT MOST", "HOLDS", "TIME");
        for (Measurement measurement : comparison.measurements()) {
            double high = measurement.benchmark().high(measurement.nodes());
            table.row(
                    measurement.benchmark().title(),
                    measurement.nodes(),
                    String.format(Locale.ROOT, "%.1f", measurement.messages().mean()),
                    measurement.messages().fewest(),
                    measurement.messages().most(),
                    measurement.benchmark().theory(),
                    Double.isInfinite(high) ? "" : String.format(Locale.ROOT, "%.0f", high),
                    measurement.isWithinTheory() ? "yes" : "NO",
                    String.format(Locale.ROOT, "%.0f ms", measurement.millis()));
        }
        return table;
    }

    static int check(Options options, Console console) {
        Algorithm algorithm = LabCommand.algorithm(options);
        long seeds = options.number(LabCommand.SEEDS, SEEDS_DEFAULT, 1, SEEDS_MAX);
        long from = options.number(LabCommand.SEED, 1, 0, Long.MAX_VALUE / 2);
        List<Violation> found = new ArrayList<>();
        for (long seed = from; seed < from + seeds; seed++) {
            Check.run(algorithm, seed).ifPresent(found::add);
            if ((seed - from) % PORTION == 0) {
                console.progress(
                        (seed - from) + " of " + Count.of(seeds, "seed") + ", " + Count.of(found.size(), "violation"));
            }
        }
        console.progress("");
        List<String> lines = new ArrayList<>();
        found.stream().limit(SHOWN_MAX).forEach(each -> {
            lines.add(each.toString());
            lines.add("  " + each.experiment().config() + ", ring "
                    + each.experiment().ring());
            each.experiment().faults().forEach(fault -> lines.add("  - " + fault));
        });
        lines.add(algorithm.spelling() + ": " + Count.of(seeds, "seed") + " from " + from + ": "
                + Count.of(found.size(), "violation"));
        Map<String, Object> object = Json.object(
                "algorithm", algorithm.spelling(),
                "from", Long.toString(from),
                "seeds", Long.toString(seeds),
                "violations", found.stream().map(Violation::toString).toList());
        console.print(options, object, lines);
        return found.isEmpty() ? ExitCode.OK : ExitCode.NO;
    }

    /** What it finds is printed as a scenario, which can be run again. */
    static int search(Options options, Console console) {
        Algorithm algorithm = LabCommand.algorithm(options);
        boolean stale = options.operand(2).equals(Quarry.STALE_WRITE.spelling());
        Quarry quarry = stale ? Quarry.STALE_WRITE : Quarry.TWO_LEADERS;
        if (stale && !algorithm.hasTerms()) {
            throw options.wrong(algorithm.spelling() + " has no terms: an old leader's write looks like any other, and"
                    + " nobody can tell that it is stale. Look for two-leaders");
        }
        long seeds = options.number(LabCommand.SEEDS, SEEDS_DEFAULT, 1, SEEDS_MAX);
        Optional<CounterExample> found = CounterExample.search(algorithm, quarry, seeds);
        if (found.isEmpty()) {
            console.print("# " + quarry.spelling() + " with " + algorithm.spelling() + ": none in "
                    + Count.of(seeds, "seed"));
            return ExitCode.NO;
        }
        CounterExample example = found.get();
        console.print("# " + quarry.spelling() + " with " + algorithm.spelling() + ", after "
                + Count.of(example.seeds(), "seed"));
        console.print("nodes: " + example.experiment().nodes());
        console.print("seed: " + example.experiment().seed());
        console.print("faults:");
        example.experiment().faults().forEach(fault -> console.print("  - " + fault));
        TraceText.summary(example.trace()).forEach(line -> console.print("# " + line));
        return ExitCode.OK;
    }
}
