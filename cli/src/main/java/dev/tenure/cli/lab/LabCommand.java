package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Table;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.lab.Explanation;
import dev.tenure.lab.check.CounterExample.Quarry;
import dev.tenure.lab.scenario.Scenario;
import dev.tenure.lab.scenario.Scenarios;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** {@code tenure lab}: the first operand says what to do. */
public final class LabCommand implements Command {
    private static final int PORT_MAX = 65_535;

    @Override
    public Usage usage() {
        return new Usage(
                "lab",
                "run the classic election algorithms in virtual time",
                """
                Algorithms: bully, ring, chang-roberts, hirschberg-sinclair, quorum, raft, paxos, sticky.
                The same seed gives the same run on any machine. Nodes are written 3, 1,2, 3-7, leader, or * for all others.
                serve shows the same in a browser on this machine: choose, run, and click into the diagram to let something fail.
                A scenario is one of the library (see lab scenarios) or a small YAML file; faults on the command line come on top.
                check draws a world from each seed and asks whether what an algorithm promises holds; search looks for a
                schedule that shows what it does not promise.
                Exits 1 if a promise did not hold, a measurement is outside of theory, or nothing was found.
                """,
                List.of(
                        on("run").taking(LabOptions.RUN),
                        Form.of("serve").taking(LabOptions.PORT),
                        Form.of("scenarios [NAME]").completing(after("scenarios", Scenarios.NAMES)),
                        on("explain"),
                        Form.of("compare")
                                .taking(
                                        LabOptions.NODES,
                                        LabOptions.RUNS,
                                        LabOptions.SEED,
                                        LabOptions.CSV,
                                        LabOptions.SVG),
                        on("check").taking(LabOptions.SEEDS, LabOptions.SEED, LabOptions.JSON),
                        Form.of("search ALGORITHM two-leaders|stale-write")
                                .completing(searches())
                                .taking(LabOptions.SEEDS)),
                List.of(
                        "tenure lab run bully --nodes 7 --crash 7@100ms --partition '1,2|3-7@1s..3s' --seed 4",
                        "tenure lab run raft --scenario paused-leader --html raft.html",
                        "tenure lab compare --nodes 3..101 --runs 200 --svg messages.svg",
                        "tenure lab check raft --seeds 10000",
                        "tenure lab search bully two-leaders"));
    }

    private static Form on(String action) {
        return Form.of(action + " ALGORITHM").completing(after(action, LabOptions.ALGORITHMS));
    }

    private static List<String> after(String action, List<String> words) {
        return Stream.concat(Stream.of(action), words.stream().map(word -> action + " " + word))
                .toList();
    }

    private static List<String> searches() {
        List<String> words = new ArrayList<>(after("search", LabOptions.ALGORITHMS));
        for (Algorithm algorithm : Algorithm.values()) {
            Stream.of(Quarry.values())
                    .filter(quarry -> quarry == Quarry.TWO_LEADERS || algorithm.hasTerms())
                    .forEach(quarry -> words.add("search " + algorithm.spelling() + " " + quarry.spelling()));
        }
        return words;
    }

    @Override
    public int run(Options options, Console console) throws Exception {
        return switch (options.operand(0)) {
            case "run" -> RunAction.run(options, console);
            case "serve" -> serve(options, console);
            case "scenarios" -> scenarios(options, console);
            case "explain" -> {
                console.out().print(Explanation.of(LabOptions.algorithm(options)));
                yield ExitCode.OK;
            }
            case "compare" -> ManyRuns.compare(options, console);
            case "check" -> ManyRuns.check(options, console);
            default -> ManyRuns.search(options, console);
        };
    }

    /** Until it is interrupted. */
    private static int serve(Options options, Console console) throws IOException, InterruptedException {
        int port = (int) options.number(LabOptions.PORT, 0, 0, PORT_MAX);
        try (LabServer server = LabServer.start(port, StoreOptions.host())) {
            console.print("the lab is open at " + server.url() + " (end it with Ctrl-C)");
            new CountDownLatch(1).await();
        } catch (BindException taken) {
            throw new CliException(ExitCode.USAGE, "port " + port + " cannot be had: " + taken.getMessage(), taken);
        }
        return ExitCode.OK;
    }

    /** What there is, or the file of one, to begin another with. */
    private static int scenarios(Options options, Console console) {
        if (options.operands().size() == 2) {
            String name = options.operand(1);
            Scenarios.load(name);
            console.out().print(Scenarios.text(name));
            return ExitCode.OK;
        }
        Table table = new Table("SCENARIO", "NODES", "WHAT HAPPENS");
        for (String name : Scenarios.NAMES) {
            Scenario scenario = Scenarios.load(name);
            table.row(name, scenario.nodes(), scenario.about());
        }
        console.print(table);
        return ExitCode.OK;
    }
}
