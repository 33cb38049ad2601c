package dev.tenure.cli.observe;

import dev.tenure.ElectionName;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.process.Signals;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Troubles;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** {@code tenure watch}: a line for each change, until it is told to stop. */
public final class WatchVerb implements Verb {
    private static final Option JSON = Option.flag("--json", "one JSON object per line, for programs");
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    @Override
    public Usage usage() {
        return new Usage(
                "watch",
                List.of("watch [NAME…] [--url URL] [--json]"),
                "print a line for each change of leader",
                "First the present state, then every change, of the elections that are named or of all that the store has or\n"
                        + "will have. Ends with Ctrl-C.",
                List.of(StoreOptions.URL, JSON),
                List.of(),
                List.of("tenure watch", "tenure watch hello --json | jq -r .leader.node"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseCommand();
        List<ElectionName> names = options.operands().stream()
                .map(StoreOptions::election)
                .distinct()
                .toList();
        CompletableFuture<Integer> end = new CompletableFuture<>();
        for (String signal : List.of("INT", "TERM", "HUP")) {
            Signals.handle(signal, number -> end.complete(ExitCode.ofSignal(number)));
        }
        Host host = StoreOptions.host();
        try (Tenure tenure = open(options, host)) {
            Troubles troubles = new Troubles(console, host);
            tenure.onEvent(event -> {
                if (event instanceof TenureEvent.StoreTrouble trouble) {
                    troubles.tell(trouble);
                    endIfHopeless(trouble.cause(), end);
                }
            });
            ChangeLines lines = new ChangeLines(console, host, options.has(JSON), end);
            if (names.isEmpty()) {
                lines.followAll(tenure);
            } else {
                // Asked before watched: a store that does not answer at all is an error, not an empty screen.
                tenure.leaderOf(names.get(0).value()).toCompletableFuture().join();
                names.forEach(name -> lines.follow(tenure.observe(name.value())));
            }
            return end.join();
        }
    }

    /** Looks often, so that a leader which died alone is not shown for long; a store may not go that low. */
    private static Tenure open(Options options, Host host) {
        try {
            return StoreOptions.connect(options).ttl(LOOK_EVERY).host(host).open();
        } catch (IllegalArgumentException tooShort) {
            return StoreOptions.open(options, host);
        }
    }

    private static void endIfHopeless(Throwable cause, CompletableFuture<Integer> end) {
        Failure failure = Failure.of(cause);
        if (failure.code() == ExitCode.CORRUPT || failure.code() == ExitCode.USAGE) {
            end.completeExceptionally(failure);
        }
    }
}
