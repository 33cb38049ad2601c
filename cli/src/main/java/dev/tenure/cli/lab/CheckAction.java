package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.lab.check.Check;
import dev.tenure.lab.check.Violation;
import dev.tenure.lab.fault.Fault;
import dev.tenure.simulator.Count;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code tenure lab check}. */
final class CheckAction {
    private static final long SEEDS_DEFAULT = 1000;
    private static final long SEEDS_MAX = 1_000_000_000;
    private static final int SHOWN_MAX = 10;
    private static final long PORTION = 200;

    private CheckAction() {}

    static int run(Options options, Console console) {
        options.refuseOperands(2);
        LabOptions.only(options, List.of(LabOptions.SEEDS, LabOptions.SEED, LabOptions.JSON));
        Algorithm algorithm = LabOptions.algorithm(options);
        long seeds = LabOptions.number(options, LabOptions.SEEDS, SEEDS_DEFAULT, 1, SEEDS_MAX);
        long from = LabOptions.number(options, LabOptions.SEED, 1, 0, Long.MAX_VALUE / 2);
        List<Violation> found = new ArrayList<>();
        for (long seed = from; seed < from + seeds; seed++) {
            Check.run(algorithm, seed).ifPresent(found::add);
            if ((seed - from) % PORTION == 0) {
                console.progress(
                        (seed - from) + " of " + Count.of(seeds, "seed") + ", " + Count.of(found.size(), "violation"));
            }
        }
        console.progress("");
        if (options.has(LabOptions.JSON)) {
            Map<String, Object> report = new LinkedHashMap<>();
            report.put("algorithm", algorithm.spelling());
            report.put("from", Long.toString(from));
            report.put("seeds", Long.toString(seeds));
            report.put("violations", found.stream().map(Violation::toString).toList());
            console.print(Json.text(report));
        } else {
            found.stream().limit(SHOWN_MAX).forEach(each -> show(each, console));
            console.print(algorithm.spelling() + ": " + Count.of(seeds, "seed") + " from " + from + ": "
                    + Count.of(found.size(), "violation"));
        }
        return found.isEmpty() ? ExitCode.OK : ExitCode.NO;
    }

    private static void show(Violation violation, Console console) {
        console.print(violation.toString());
        console.print("  " + violation.experiment().recipe() + ", ring "
                + violation.experiment().ring());
        for (Fault fault : violation.experiment().faults()) {
            console.print("  - " + fault);
        }
    }
}
