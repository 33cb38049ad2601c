package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Spelling;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Printable;
import dev.tenure.cli.text.Table;
import dev.tenure.lab.Explanation;
import dev.tenure.lab.check.CounterExample.Quarry;
import dev.tenure.lab.scenario.Library;
import dev.tenure.lab.scenario.Scenario;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** {@code tenure lab}: the first operand says what to do. */
public final class LabVerb implements Verb {
    private static final List<String> ACTIONS =
            List.of("run", "serve", "scenarios", "explain", "compare", "check", "search");
    private static final int PORT_MAX = 65_535;

    @Override
    public Usage usage() {
        return new Usage(
                "lab",
                List.of(
                        "lab run ALGORITHM [--nodes N] [--scenario NAME] [--crash …] [--partition …] [--seed S] [--html FILE] [--json]",
                        "lab serve [--port N]",
                        "lab scenarios [NAME]",
                        "lab explain ALGORITHM",
                        "lab compare [--nodes 3..101] [--runs N] [--csv] [--svg FILE]",
                        "lab check ALGORITHM [--seeds N] [--seed FIRST] [--json]",
                        "lab search ALGORITHM two-leaders|stale-write [--seeds N]"),
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
                LabOptions.ALL,
                words(),
                List.of(
                        "tenure lab run bully --nodes 7 --crash 7@100ms --partition '1,2|3-7@1s..3s' --seed 4",
                        "tenure lab run raft --scenario paused-leader --html raft.html",
                        "tenure lab compare --nodes 3..101 --runs 200 --svg messages.svg",
                        "tenure lab check raft --seeds 10000",
                        "tenure lab search bully two-leaders"));
    }

    /** The actions, and what each may be followed by. */
    private static List<String> words() {
        List<String> words = new ArrayList<>(ACTIONS);
        Library.NAMES.forEach(name -> words.add("scenarios " + name));
        for (Algorithm algorithm : Algorithm.values()) {
            String name = algorithm.spelling();
            words.addAll(List.of("run " + name, "explain " + name, "check " + name, "search " + name));
            Stream.of(Quarry.values())
                    .filter(quarry -> quarry == Quarry.TWO_LEADERS || algorithm.hasTerms())
                    .forEach(quarry -> words.add("search " + name + " " + quarry.spelling()));
        }
        return words;
    }

    @Override
    public int run(Options options, Console console) throws Exception {
        options.refuseCommand();
        String action = options.operands().isEmpty() ? "" : options.operands().get(0);
        return switch (action) {
            case "run" -> RunAction.run(options, console);
            case "serve" -> serve(options, console);
            case "scenarios" -> scenarios(options, console);
            case "explain" -> explain(options, console);
            case "compare" -> ManyRuns.compare(options, console);
            case "check" -> ManyRuns.check(options, console);
            case "search" -> ManyRuns.search(options, console);
            default ->
                throw options.wrong(
                        action.isEmpty()
                                ? "what shall the lab do? One of " + String.join(", ", ACTIONS)
                                : "the lab cannot '" + Printable.line(action, 40) + "'"
                                        + Spelling.suggestion(action, ACTIONS));
        };
    }

    /** Until it is interrupted. */
    private static int serve(Options options, Console console) throws IOException, InterruptedException {
        options.refuseOperands(1);
        LabOptions.only(options, List.of(LabOptions.PORT));
        int port = (int) options.number(LabOptions.PORT, 0, 0, PORT_MAX);
        try (LabServer server = LabServer.start(port, StoreOptions.host())) {
            console.print("the lab is open at " + server.url() + " (end it with Ctrl-C)");
            new CountDownLatch(1).await();
        } catch (BindException taken) {
            throw new Failure(ExitCode.USAGE, "port " + port + " cannot be had: " + taken.getMessage(), taken);
        }
        return ExitCode.OK;
    }

    /** What there is, or the file of one, to begin another with. */
    private static int scenarios(Options options, Console console) {
        options.refuseOperands(2);
        LabOptions.only(options, List.of());
        if (options.operands().size() == 2) {
            String name = options.operands().get(1);
            Library.load(name);
            console.out().print(Library.text(name));
            return ExitCode.OK;
        }
        Table table = new Table("SCENARIO", "NODES", "WHAT HAPPENS");
        for (String name : Library.NAMES) {
            Scenario scenario = Library.load(name);
            table.row(name, Integer.toString(scenario.nodes()), scenario.about());
        }
        table.lines().forEach(console::print);
        return ExitCode.OK;
    }

    private static int explain(Options options, Console console) {
        options.refuseOperands(2);
        LabOptions.only(options, List.of());
        console.out().print(Explanation.of(LabOptions.algorithm(options)));
        return ExitCode.OK;
    }
}
