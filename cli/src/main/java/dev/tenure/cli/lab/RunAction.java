// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.lab.AlgorithmConfig;
import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.fault.FaultText;
import dev.tenure.lab.page.Page;
import dev.tenure.lab.scenario.Scenario;
import dev.tenure.lab.scenario.ScenarioFile;
import dev.tenure.lab.scenario.Scenarios;
import dev.tenure.lab.trace.Trace;
import dev.tenure.lab.trace.TraceData;
import dev.tenure.lab.trace.TraceText;
import dev.tenure.lab.world.World;
import dev.tenure.spi.DurationText;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code tenure lab run}. */
final class RunAction {
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final long SCENARIO_BYTES_MAX = 1_000_000;

    private RunAction() {}

    static int run(Options options, Console console) {
        Experiment experiment = experiment(options);
        printFaultsThatNeverHappen(experiment, console);
        Trace trace = World.run(experiment);
        Optional<String> page = options.value(LabCommand.HTML);
        if (page.isPresent()) {
            LabCommand.LabFile.named(page.get()).write(Page.html(Json.text(TraceData.of(experiment, trace))));
            console.say("drawn in " + page.get());
        }
        List<String> lines = new ArrayList<>(TraceText.events(trace));
        lines.add("");
        lines.addAll(TraceText.summary(trace));
        console.print(options, TraceData.of(experiment, trace), lines);
        return ExitCode.OK;
    }

    private static Experiment experiment(Options options) {
        Optional<Scenario> scenario = scenario(options);
        int nodes = (int)
                options.number(LabCommand.NODES, scenario.map(Scenario::nodes).orElse(5), 1, Experiment.NODES_MAX);
        long seed = options.number(LabCommand.SEED, scenario.map(Scenario::seed).orElse(1L), 0, Long.MAX_VALUE);
        List<Fault> faults = new ArrayList<>(scenario.map(Scenario::faults).orElse(List.of()));
        for (Option option : LabCommand.FAULTS) {
            for (String each : options.value(option).map(RunAction::parts).orElse(List.of())) {
                faults.add(FaultText.parse(option.name().substring(2) + " " + each, nodes));
            }
        }
        Experiment plain = Experiment.of(config(options), nodes, seed).with(faults);
        Duration lasting = options.duration(LabCommand.FOR)
                .or(() -> scenario.map(story -> Duration.ofNanos(story.forNanos())))
                .orElse(Duration.ofNanos(plain.forNanos()));
        if (lasting.compareTo(LONGEST) > 0) {
            throw options.wrong("a run lasts at most 10m");
        }
        return plain.lasting(lasting.toNanos());
    }

    /** Nodes have commas in them; one that comes after a time begins another fault. */
    private static List<String> parts(String text) {
        return List.of(text.split(";|(?<=@[^,;]{1,40}),"));
    }

    private static void printFaultsThatNeverHappen(Experiment experiment, Console console) {
        experiment.faults().stream()
                .filter(fault -> fault.fromNanos() >= experiment.forNanos())
                .forEach(fault -> console.say(Options.shown(fault.toString()) + " never happens: the run lasts "
                        + DurationText.format(Duration.ofNanos(experiment.forNanos())) + " (--for)"));
    }

    private static AlgorithmConfig config(Options options) {
        Algorithm algorithm = LabCommand.algorithm(options);
        AlgorithmConfig config = AlgorithmConfig.of(algorithm);
        if (options.has(LabCommand.PLAIN)) {
            config = config.plain();
        }
        Optional<Duration> lease = options.duration(LabCommand.LEASE);
        if (lease.isPresent() && algorithm != Algorithm.RAFT) {
            throw options.wrong("only raft has a lease");
        }
        return lease.map(config::leasing).orElse(config);
    }

    private static Optional<Scenario> scenario(Options options) {
        Optional<String> name = options.value(LabCommand.SCENARIO);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        if (Scenarios.NAMES.contains(name.get())) {
            return name.map(Scenarios::load);
        }
        LabCommand.LabFile file = LabCommand.LabFile.named(name.get());
        if (!Files.isRegularFile(file.path())) {
            throw CliException.usage("no scenario and no file '" + Options.shown(name.get()) + "': the library has "
                    + String.join(", ", Scenarios.NAMES));
        }
        return Optional.of(ScenarioFile.parse(file.read(SCENARIO_BYTES_MAX)));
    }
}
