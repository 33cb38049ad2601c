package dev.tenure.cli.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
    static final List<Option> RUN = Stream.of(
                    Stream.of(NODES, SEED, FOR, SCENARIO), FAULTS.stream(), Stream.of(LEASE, PLAIN, HTML, JSON))
            .flatMap(some -> some)
            .toList();

    static final List<String> ALGORITHMS =
            Stream.of(Algorithm.values()).map(Algorithm::spelling).toList();

    private LabOptions() {}

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
