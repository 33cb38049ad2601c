package dev.tenure.cli.sim;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Printable;
import dev.tenure.simulator.Count;
import dev.tenure.simulator.SeedViolation;
import dev.tenure.simulator.SimOptions;
import dev.tenure.simulator.SimReport;
import dev.tenure.simulator.Simulator;
import dev.tenure.simulator.trace.Fault;
import dev.tenure.simulator.world.StoreKind;
import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code tenure sim}: many seeds, or one of them in detail. */
public final class SimVerb implements Verb {
    private static final Option SEEDS = Option.value("--seeds", "N", "how many worlds to run, default 1000");
    private static final Option FROM = Option.value("--from", "S", "the first seed, default 1");
    private static final Option WORKERS =
            Option.value("--workers", "N", "how many at the same time, default one per core");
    private static final Option SEED = Option.value("--seed", "S", "only this one");
    private static final Option STORE = Option.value(
            "--store",
            "KIND",
            "all worlds with this one: "
                    + Stream.of(StoreKind.values()).map(SimVerb::shown).collect(Collectors.joining(", ")));
    private static final Option HANGING = Option.flag(
            "--hanging", "all worlds with many elections in each process, and user code that is slow and hangs");
    private static final Option TRACE = Option.flag("--trace", "with --seed: every event, readable");
    private static final Option MUTANTS =
            Option.flag("--mutants", "plant bugs in the source and show after how many seeds each is found");
    private static final long SEEDS_DEFAULT = 1000;
    private static final long WORKERS_MAX = 1000;
    private static final int PORTIONS = 100;
    private static final int SEEDS_PER_WORKER_MIN = 50;

    @Override
    public Usage usage() {
        return new Usage(
                "sim",
                List.of(
                        "sim [--seeds N] [--from S] [--store KIND] [--hanging] [--workers N] [--json]",
                        "sim --seed S [--store KIND] [--hanging] [--trace] [--json]",
                        "sim --mutants [--seeds N] [--json]"),
                "run the production engine under simulated faults",
                """
                Each seed is a world of its own: nodes, clocks, a network and a store, and ten minutes of faults from which it
                has to recover. It draws its store: compare-and-set stores and session stores of several kinds, among them
                models of etcd and of ZooKeeper. Every property is checked after every event. The same seed gives the same
                trace on any machine.
                Exits 1 if a property did not hold, or if a mutant was not found.
                """,
                List.of(SEEDS, FROM, STORE, HANGING, WORKERS, SEED, TRACE, MUTANTS, Option.JSON),
                List.of(),
                List.of(
                        "tenure sim --seeds 10000",
                        "tenure sim --store etcd --seeds 1000",
                        "tenure sim --seed 4711 --trace | less"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(0);
        if (options.has(TRACE) && !options.has(SEED)) {
            throw options.wrong("--trace shows one seed: name it with --seed");
        }
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
            console.print(report.json());
        } else {
            console.out().print(options.has(SEED) ? report.text() : report.text() + report.faultText());
        }
        return report.isClean() ? ExitCode.OK : ExitCode.NO;
    }

    private static SimReport one(Options options, Console console) {
        if (options.has(SEEDS) || options.has(FROM)) {
            throw options.wrong("--seed is one seed, --seeds and --from are many");
        }
        long seed = options.number(SEED, 0, 0, Long.MAX_VALUE);
        SimOptions only = worlds(options, 1).from(seed);
        return Simulator.replay(only, options.has(TRACE) ? console.out() : new StringBuilder());
    }

    /** In portions, so that a terminal can be told how far it is. */
    private static SimReport many(Options options, Console console, Host host) {
        long seeds = options.number(SEEDS, SEEDS_DEFAULT, 1, Long.MAX_VALUE);
        long from = options.number(FROM, 1, 0, Long.MAX_VALUE);
        int workers = workers(options);
        long portion = Math.max((long) workers * SEEDS_PER_WORKER_MIN, seeds / PORTIONS);
        StringBuilder found = new StringBuilder();
        Optional<SimReport> sum = Optional.empty();
        for (long done = 0; done < seeds; done += portion) {
            SimOptions worlds = worlds(options, Math.min(portion, seeds - done))
                    .from(from + done)
                    .workers(workers);
            SimReport part = Simulator.run(worlds, found, task -> host.perform("tenure-sim", task), host::nanos);
            sum = Optional.of(sum.isPresent() ? plus(sum.get(), part) : part);
            console.progress(Math.min(seeds, done + portion) + " of " + Count.of(seeds, "seed") + ", "
                    + Count.of(sum.get().violations().size(), "violation"));
        }
        console.progress("");
        return sum.orElseThrow();
    }

    /** The hash of a campaign is a sum over its seeds, so it does not depend on the portions. */
    private static SimReport plus(SimReport one, SimReport next) {
        List<SeedViolation> violations = new ArrayList<>(one.violations());
        violations.addAll(next.violations());
        Map<Fault, Long> faults = new EnumMap<>(one.faults());
        next.faults().forEach((fault, count) -> faults.merge(fault, count, Long::sum));
        return new SimReport(
                one.from(),
                one.seeds() + next.seeds(),
                violations,
                faults,
                one.terms() + next.terms(),
                one.events() + next.events(),
                one.simulatedHours() + next.simulatedHours(),
                one.hash() + next.hash(),
                one.wallNanos() + next.wallNanos());
    }

    private static int mutants(Options options, Console console, Host host) {
        if (options.has(SEED) || options.has(FROM) || options.has(STORE) || options.has(HANGING)) {
            throw options.wrong("--mutants begins with seed 1 and any world, --seeds says when it gives up");
        }
        long seeds = options.number(SEEDS, SEEDS_DEFAULT, 1, Long.MAX_VALUE);
        return new MutantTrial(host, console, options.has(Option.JSON)).run(seeds, workers(options));
    }

    /** So many, of the kind that is wanted. */
    private static SimOptions worlds(Options options, long seeds) {
        return SimOptions.seeds(seeds).store(store(options)).hanging(options.has(HANGING));
    }

    private static Optional<StoreKind> store(Options options) {
        return options.value(STORE)
                .map(name -> Stream.of(StoreKind.values())
                        .filter(kind -> shown(kind).equals(name))
                        .findFirst()
                        .orElseThrow(() -> options.wrong(
                                "--store '" + Printable.line(name, 40) + "' is not a kind of store, see --help")));
    }

    private static String shown(StoreKind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static int workers(Options options) {
        int cores = Runtime.getRuntime().availableProcessors();
        return (int) Math.min(options.number(WORKERS, cores, 1, Long.MAX_VALUE), WORKERS_MAX);
    }
}
