// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.lab;

import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.simulator.Count;
import dev.tenure.simulator.SimOptions;
import dev.tenure.simulator.SimReport;
import dev.tenure.simulator.Simulator;
import dev.tenure.simulator.mutants.MutantHunt;
import dev.tenure.simulator.mutants.MutantOutcome;
import dev.tenure.simulator.mutants.Mutants;
import dev.tenure.simulator.plan.StoreKind;
import dev.tenure.simulator.world.EngineLog;
import dev.tenure.spi.Host;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** {@code tenure sim}: many seeds, or one of them in detail. */
public final class SimCommand implements Command {
    private static final Option SEEDS = Option.value("--seeds", "N", "how many worlds to run, default 1000");
    private static final Option FROM = Option.value("--from", "S", "the first seed, default 1");
    private static final Option WORKERS =
            Option.value("--workers", "N", "how many at the same time, default one per core");
    private static final Option SEED = Option.value("--seed", "S", "only this one");
    private static final List<String> KINDS = Stream.of(StoreKind.values())
            .map(kind -> kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .toList();
    private static final Option STORE = Option.value("--store", "KIND", "only this one: " + String.join(", ", KINDS));
    private static final Option HANGING = Option.flag(
            "--hanging", "all worlds with many elections in each process, and user code that is slow and hangs");
    private static final Option TRACE = Option.flag("--trace", "with --seed: every event, readable");
    private static final Option MUTANTS =
            Option.flag("--mutants", "plant bugs in the source and show after how many seeds each is found");
    private static final long SEEDS_DEFAULT = 1000;
    private static final long WORKERS_MAX = 1000;
    private static final int STEPS = 100;
    private static final Path LANDMARK = Path.of("core", "src", "main", "java", "dev", "tenure");

    @Override
    public Usage usage() {
        return new Usage(
                "sim",
                "run the production engine under simulated faults",
                """
                Each seed is a world of its own: nodes, clocks, a network and a store, and ten minutes of faults from which it
                has to recover. It draws its store: compare-and-set stores and session stores of several kinds, among them
                models of etcd and of ZooKeeper. Every property is checked after every event. The same seed gives the same
                trace on any machine.
                Exits 1 if a property did not hold, or if a mutant was not found.
                """,
                List.of(
                        Form.of("").taking(SEEDS, FROM, STORE, HANGING, WORKERS, Option.JSON),
                        Form.of("").needing(SEED).taking(STORE, HANGING, TRACE, Option.JSON),
                        Form.of("").needing(MUTANTS).taking(SEEDS, WORKERS, Option.JSON)),
                List.of(
                        "tenure sim --seeds 10000",
                        "tenure sim --store etcd --seeds 1000",
                        "tenure sim --seed 4711 --trace | less"));
    }

    @Override
    public int run(Options options, Console console) {
        System.setProperty(Console.FORWARD_LOGS, "true"); // the simulator listens to the engine's log
        Host host = StoreOptions.host();
        try {
            return options.has(MUTANTS) ? mutants(options, console, host) : worlds(options, console, host);
        } finally {
            host.shutdown();
        }
    }

    private static int worlds(Options options, Console console, Host host) {
        SimReport report = options.has(SEED) ? one(options, console) : many(options, console, host);
        if (options.has(Option.JSON)) {
            console.print(Json.text(report.data()));
        } else {
            console.out().print(options.has(SEED) ? report.text() : report.text() + report.faultText());
        }
        return report.isClean() ? ExitCode.OK : ExitCode.NO;
    }

    private static SimReport one(Options options, Console console) {
        long seed = options.number(SEED, 0, 0, Long.MAX_VALUE);
        SimOptions only = worlds(options, 1).from(seed);
        return Simulator.replay(only, options.has(TRACE) ? console.out() : new StringBuilder());
    }

    private static SimReport many(Options options, Console console, Host host) {
        long seeds = options.number(SEEDS, SEEDS_DEFAULT, 1, Long.MAX_VALUE);
        SimOptions worlds = worlds(options, seeds)
                .from(options.number(FROM, 1, 0, Long.MAX_VALUE))
                .workers(workers(options));
        long step = Math.max(1, seeds / STEPS);
        Simulator.Progress progress = (done, found) -> {
            if (done % step == 0) {
                console.progress(done + " of " + Count.of(seeds, "seed") + ", " + Count.of(found, "violation"));
            }
        };
        SimReport report = Simulator.run(
                worlds, new StringBuilder(), task -> host.runDuty("tenure-sim", task), host::nanos, progress);
        console.progress("");
        return report;
    }

    /** Shows that the simulator finds bugs: plants them, one after the other, in the source that it was built from. */
    private static int mutants(Options options, Console console, Host host) {
        long seeds = options.number(SEEDS, SEEDS_DEFAULT, 1, Long.MAX_VALUE);
        Semaphore free = new Semaphore(workers(options));
        Executor atMost = task -> host.runDuty("tenure-mutant", () -> {
            free.acquireUninterruptibly();
            try {
                task.run();
            } finally {
                free.release();
            }
        });
        Consumer<MutantOutcome> print = outcome -> {
            if (!options.has(Option.JSON)) {
                console.print(outcome.toString());
            }
        };
        List<MutantOutcome> outcomes;
        // Hunts come and go, and each leaves the log as it has found it: with this one around, always quiet.
        try (EngineLog quiet = EngineLog.listen()) {
            outcomes = MutantHunt.run(checkout(), Mutants.all(), seeds, atMost, print);
        }
        long found = outcomes.stream().filter(MutantOutcome::isFound).count();
        console.print(
                options,
                Json.object(
                        "mutants", outcomes.size(),
                        "found", found,
                        "verdicts", outcomes.stream().map(SimCommand::json).toList()),
                found + " of " + Count.of(outcomes.size(), "mutant") + " found");
        return found == outcomes.size() ? ExitCode.OK : ExitCode.NO;
    }

    private static Map<String, Object> json(MutantOutcome outcome) {
        return Json.object(
                "name", outcome.mutant().name(),
                "found", outcome.isFound(),
                "property", outcome.capture().map(MutantOutcome.Capture::property),
                "seeds", outcome.capture().map(MutantOutcome.Capture::seeds),
                "message", outcome.capture().map(MutantOutcome.Capture::message));
    }

    /** The checkout that these classes were built in. */
    private static Path checkout() {
        try {
            URL place = SimCommand.class.getProtectionDomain().getCodeSource().getLocation();
            return Stream.iterate(Path.of(place.toURI()), Objects::nonNull, Path::getParent)
                    .filter(folder -> Files.isDirectory(folder.resolve(LANDMARK)))
                    .findFirst()
                    .orElseThrow(() -> CliException.usage(
                            "mutants are made from the source: run ./tenure sim --mutants in a checkout of Tenure"));
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** So many, of the kind that is wanted. */
    private static SimOptions worlds(Options options, long seeds) {
        return SimOptions.seeds(seeds).store(store(options)).hanging(options.has(HANGING));
    }

    private static Optional<StoreKind> store(Options options) {
        Optional<String> name = options.value(STORE);
        name.ifPresent(given -> options.requireOneOf(KINDS, given));
        return name.map(given -> StoreKind.values()[KINDS.indexOf(given)]);
    }

    private static int workers(Options options) {
        int cores = Runtime.getRuntime().availableProcessors();
        return (int) Math.min(options.number(WORKERS, cores, 1, Long.MAX_VALUE), WORKERS_MAX);
    }
}
