package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.text.Console;
import dev.tenure.lab.check.CounterExample;
import dev.tenure.lab.check.CounterExample.Quarry;
import dev.tenure.lab.trace.TraceText;
import dev.tenure.simulator.Count;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** {@code tenure lab search}: prints what it finds as a scenario, which can be run again. */
final class SearchAction {
    private static final long SEEDS_DEFAULT = 1000;
    private static final long SEEDS_MAX = 1_000_000_000;

    private SearchAction() {}

    static int run(Options options, Console console) {
        options.refuseOperands(3);
        LabOptions.only(options, List.of(LabOptions.SEEDS));
        Algorithm algorithm = LabOptions.algorithm(options);
        Quarry quarry = quarry(options);
        if (quarry == Quarry.STALE_WRITE && !algorithm.hasTerms()) {
            throw options.wrong(algorithm.spelling() + " has no terms: an old leader's write looks like any other, and"
                    + " nobody can tell that it is stale. Look for two-leaders");
        }
        long seeds = LabOptions.number(options, LabOptions.SEEDS, SEEDS_DEFAULT, 1, SEEDS_MAX);
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

    private static Quarry quarry(Options options) {
        String name = options.operands().size() < 3 ? "" : options.operands().get(2);
        return Stream.of(Quarry.values())
                .filter(each -> each.spelling().equals(name))
                .findFirst()
                .orElseThrow(() -> options.wrong("what shall be looked for? two-leaders or stale-write"));
    }
}
