package dev.tenure.cli.run;

import dev.tenure.ElectionName;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.internal.engine.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What {@code tenure run} was asked for. A flag goes before the environment, that before the URL, that before the default. */
record RunSettings(
        ElectionName election,
        List<String> command,
        Optional<String> id,
        Duration ttl,
        Duration grace,
        Duration storeWithin,
        boolean exitOnLoss,
        boolean bestEffort,
        boolean quiet) {
    static final Option ELECTION = Option.value("--election", "NAME", "the election to stand in");
    static final Option ID = Option.value(
                    "--id",
                    "ID",
                    "what operators see as the holder; default me= of peers://, else host, process id and a random part")
            .or("TENURE_ID");
    static final Option TTL = Option.value(
                    "--ttl",
                    "TIME",
                    "how long this process may be silent before another takes over, default 10s; peers: 1.5s")
            .or("TENURE_TTL");
    static final Option GRACE = Option.value(
                    "--grace",
                    "TIME",
                    "how long the command may take to stop before it is killed, default 2s or a fifth of the TTL")
            .or("TENURE_GRACE");
    static final Option WAIT = Option.value(
                    "--wait",
                    "TIME",
                    "how long to try to reach the store, default 1m; waiting to be elected is not limited")
            .or("TENURE_WAIT");
    static final Option EXIT_ON_LOSS =
            Option.flag("--exit-on-loss", "exit 75 when leadership is lost, rather than stand again");
    static final Option BEST_EFFORT = Option.flag(
            "--best-effort",
            "stand also on a store of grade D, where two may lead at once and no fence refuses the older");
    static final Option QUIET = Option.flag("--quiet", "say nothing but errors");
    static final List<Option> OPTIONS =
            List.of(ELECTION, StoreOptions.URL, ID, TTL, GRACE, WAIT, EXIT_ON_LOSS, BEST_EFFORT, QUIET);

    private static final Duration GRACE_DEFAULT_MAX = Duration.ofSeconds(2);
    private static final Duration WAIT_DEFAULT = Duration.ofMinutes(1);

    static RunSettings of(Options options) {
        String election = options.value(ELECTION)
                .orElseThrow(() -> options.wrong("which election? Name it with --election NAME"));
        if (!options.operands().isEmpty()) {
            throw options.wrong("the command goes after --: tenure run --election NAME -- COMMAND ARGS…");
        }
        if (options.command().isEmpty() || options.command().get(0).isEmpty()) {
            throw options.wrong("what shall run? Put a command after --");
        }
        Duration ttl = options.duration(TTL)
                .orElseGet(() -> StoreOptions.connect(options).ttl());
        Duration grace = options.duration(GRACE).orElseGet(() -> graceFor(ttl));
        Timing.of(ttl).requireRoomFor(grace);
        return new RunSettings(
                StoreOptions.election(election),
                options.command(),
                options.value(ID),
                ttl,
                grace,
                options.duration(WAIT).orElse(WAIT_DEFAULT),
                options.has(EXIT_ON_LOSS),
                options.has(BEST_EFFORT),
                options.has(QUIET));
    }

    /** A tenth of the grace is kept for killing and for hearing that it was done. */
    Duration killAfter() {
        return grace.multipliedBy(9).dividedBy(10);
    }

    private static Duration graceFor(Duration ttl) {
        Duration fifth = ttl.dividedBy(5);
        return fifth.compareTo(GRACE_DEFAULT_MAX) < 0 ? fifth : GRACE_DEFAULT_MAX;
    }
}
