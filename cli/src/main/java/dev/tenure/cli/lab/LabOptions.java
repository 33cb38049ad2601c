package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Spelling;
import dev.tenure.cli.text.Printable;
import java.util.List;
import java.util.stream.Stream;

/** What the actions of the lab read from the command line. */
final class LabOptions {
    static final Option NODES =
            Option.value("--nodes", "N", "how many nodes, default 5; compare: from..to, default 3..101");
    static final Option SEED = Option.value("--seed", "S", "all chance comes from here, default 1");
    static final Option FOR = Option.value("--for", "TIME", "how long a run lasts, default 5s");
    static final Option SCENARIO = Option.value("--scenario", "NAME", "a scenario of the library, or a file");
    static final Option CRASH = Option.value("--crash", "WHO@AT", "such as 7@100ms, leader@1s or 1,2@1s,3@2s");
    static final Option RECOVER = Option.value("--recover", "WHO@AT", "start again what is down, such as 7@2s");
    static final Option PAUSE = Option.value("--pause", "WHO@FROM..TO", "such as 3@1s..2s");
    static final Option SLOW_DISK =
            Option.value("--slow-disk", "WHO:TIME@FROM..TO", "writes take up to that much longer, '3:200ms@1s..2s'");
    static final Option FRAGILE =
            Option.value("--fragile", "WHO:TIME@FROM..TO", "crashes when it has spoken, and is back after that time");
    static final Option PARTITION =
            Option.value("--partition", "SIDES@FROM..TO", "such as '1,2|3-7@1s..3s'; several with ;");
    static final Option ONE_WAY = Option.value(
            "--one-way", "THESE>THOSE@FROM..TO", "nothing gets from these to those, such as '1>2-7@1s..3s'");
    static final Option LOSSY = Option.value("--lossy", "LINK:SHARE@FROM..TO", "such as '1~2-7:30%@1s..3s'");
    static final Option SLOW = Option.value("--slow", "LINK:TIME@FROM..TO", "such as '1~2:200ms@1s..3s'");
    static final Option FLAP =
            Option.value("--flap", "LINK:TIME@FROM..TO", "cut and whole in turn, '1~*:100ms@1s..3s'");
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

    static final List<Option> FAULTS =
            List.of(CRASH, RECOVER, PAUSE, SLOW_DISK, FRAGILE, PARTITION, ONE_WAY, LOSSY, SLOW, FLAP);
    static final List<Option> RUN = List.of(
            NODES, SEED, FOR, SCENARIO, CRASH, RECOVER, PAUSE, SLOW_DISK, FRAGILE, PARTITION, ONE_WAY, LOSSY, SLOW,
            FLAP, LEASE, PLAIN, HTML, JSON);
    static final List<Option> ALL = List.of(
            NODES, SEED, FOR, SCENARIO, CRASH, RECOVER, PAUSE, SLOW_DISK, FRAGILE, PARTITION, ONE_WAY, LOSSY, SLOW,
            FLAP, LEASE, PLAIN, SEEDS, RUNS, CSV, SVG, HTML, PORT, JSON);

    static final List<String> ALGORITHMS =
            Stream.of(Algorithm.values()).map(Algorithm::spelling).toList();

    private LabOptions() {}

    static Algorithm algorithm(Options options) {
        if (options.operands().size() < 2) {
            throw options.wrong("which algorithm? One of " + String.join(", ", ALGORITHMS));
        }
        String name = options.operands().get(1);
        return Algorithm.named(name)
                .orElseThrow(() -> options.wrong("unknown algorithm '" + Printable.line(name, 40) + "'"
                        + Spelling.suggestion(name, ALGORITHMS)));
    }

    /** An action takes only its own options. */
    static void only(Options options, List<Option> own) {
        ALL.stream()
                .filter(option -> options.has(option) && !own.contains(option))
                .findFirst()
                .ifPresent(option -> {
                    throw options.wrong(option.name() + " does not go with lab "
                            + options.operands().get(0));
                });
    }
}
