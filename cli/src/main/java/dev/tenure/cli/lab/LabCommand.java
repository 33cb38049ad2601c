// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
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
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** {@code tenure lab}: the first operand says what to do. */
public final class LabCommand implements Command {
    static final Option NODES =
            Option.value("--nodes", "N", "how many nodes, default 5; compare: from..to, default 3..101");
    static final Option SEED = Option.value("--seed", "S", "all chance comes from here, default 1");
    static final Option FOR = Option.value("--for", "TIME", "how long a run lasts, default 5s");
    static final Option SCENARIO = Option.value("--scenario", "NAME", "a scenario of the library, or a file");
    static final List<Option> FAULTS = List.of(
            Option.value("--crash", "WHO@AT", "such as 7@100ms, leader@1s or 1,2@1s,3@2s"),
            Option.value("--recover", "WHO@AT", "start again what is down, such as 7@2s"),
            Option.value("--pause", "WHO@FROM..TO", "such as 3@1s..2s"),
            Option.value("--slow-disk", "WHO:TIME@FROM..TO", "writes take up to that much longer, '3:200ms@1s..2s'"),
            Option.value("--fragile", "WHO:TIME@FROM..TO", "crashes when it has spoken, and is back after that time"),
            Option.value("--partition", "SIDES@FROM..TO", "such as '1,2|3-7@1s..3s'; several with ;"),
            Option.value(
                    "--one-way", "THESE>THOSE@FROM..TO", "nothing gets from these to those, such as '1>2-7@1s..3s'"),
            Option.value("--lossy", "LINK:SHARE@FROM..TO", "such as '1~2-7:30%@1s..3s'"),
            Option.value("--slow", "LINK:TIME@FROM..TO", "such as '1~2:200ms@1s..3s'"),
            Option.value("--flap", "LINK:TIME@FROM..TO", "cut and whole in turn, '1~*:100ms@1s..3s'"));
    static final Option LEASE = Option.value("--lease", "TIME", "raft: how long a leader believes, default 1s");
    static final Option PLAIN = Option.flag(
            "--plain", "as first published: rings without repair, raft without pre-vote, paxos without back-off");
    static final Option SEEDS = Option.value("--seeds", "N", "check, search: how many, default 1000");
    static final Option RUNS = Option.value("--runs", "N", "compare: runs of each size, default 20");
    static final Option CSV = Option.flag("--csv", "compare: comma-separated values");
    static final Option SVG = Option.value("--svg", "FILE", "compare: write a chart there");
    static final Option JSON = Option.flag("--json", "run, check: one JSON object, for programs");

    static final Option HTML =
            Option.value("--html", "FILE", "run: draw it as a page of its own, to be played in a browser");
    static final Option PORT =
            Option.value("--port", "N", "serve: where to listen on this machine, default any that is free");

    static final List<Option> RUN = Stream.of(
                    List.of(NODES, SEED, FOR, SCENARIO), FAULTS, List.of(LEASE, PLAIN, HTML, JSON))
            .flatMap(List::stream)
            .toList();

    static final List<String> ALGORITHMS =
            Stream.of(Algorithm.values()).map(Algorithm::spelling).toList();

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
                        on("run").taking(RUN),
                        Form.of("serve").taking(PORT),
                        Form.of("scenarios [NAME]").completing(after("scenarios", Scenarios.NAMES)),
                        on("explain"),
                        Form.of("compare").taking(NODES, RUNS, SEED, CSV, SVG),
                        on("check").taking(SEEDS, SEED, JSON),
                        Form.of("search ALGORITHM two-leaders|stale-write")
                                .completing(searches())
                                .taking(SEEDS)),
                List.of(
                        "tenure lab run bully --nodes 7 --crash 7@100ms --partition '1,2|3-7@1s..3s' --seed 4",
                        "tenure lab run raft --scenario paused-leader --html raft.html",
                        "tenure lab compare --nodes 3..101 --runs 200 --svg messages.svg",
                        "tenure lab check raft --seeds 10000",
                        "tenure lab search bully two-leaders"));
    }

    private static Form on(String action) {
        return Form.of(action + " ALGORITHM").completing(after(action, ALGORITHMS));
    }

    private static List<String> after(String action, List<String> words) {
        return Stream.concat(Stream.of(action), words.stream().map(word -> action + " " + word))
                .toList();
    }

    private static List<String> searches() {
        List<String> words = new ArrayList<>(after("search", ALGORITHMS));
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
                console.out().print(Explanation.of(algorithm(options)));
                yield ExitCode.OK;
            }
            case "compare" -> ManyRuns.compare(options, console);
            case "check" -> ManyRuns.check(options, console);
            default -> ManyRuns.search(options, console);
        };
    }

    /** Until it is interrupted. */
    private static int serve(Options options, Console console) throws IOException, InterruptedException {
        int port = (int) options.number(PORT, 0, 0, PORT_MAX);
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

    static Algorithm algorithm(Options options) {
        String name = options.operand(1);
        options.requireOneOf(ALGORITHMS, name);
        return Algorithm.named(name).orElseThrow();
    }

    /** Files that the user names. That one cannot be read or written is the user's business, not a bug. */
    record LabFile(Path path) {
        static LabFile named(String name) {
            try {
                return new LabFile(Path.of(name));
            } catch (InvalidPathException wrong) {
                throw CliException.usage("'" + Options.shown(name) + "' is not the name of a file");
            }
        }

        void write(String text) {
            try {
                Files.writeString(path, text);
            } catch (IOException failure) {
                throw new CliException(ExitCode.USAGE, "cannot write " + path + ": " + reason(failure), failure);
            }
        }

        String read(long bytesMax) {
            try {
                if (Files.size(path) > bytesMax) {
                    throw CliException.usage(path + " is too long for a scenario");
                }
                return Files.readString(path);
            } catch (IOException failure) {
                throw new CliException(ExitCode.USAGE, "cannot read " + path + ": " + reason(failure), failure);
            }
        }

        private static String reason(IOException failure) {
            if (failure instanceof NoSuchFileException) {
                return "there is no such file or folder";
            }
            if (failure instanceof AccessDeniedException) {
                return "not allowed";
            }
            if (failure instanceof CharacterCodingException) {
                return "it is not text";
            }
            String told = failure instanceof FileSystemException file ? file.getReason() : failure.getMessage();
            return told == null ? failure.toString() : told;
        }
    }
}
