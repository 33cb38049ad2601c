// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

import dev.tenure.ElectionName;
import dev.tenure.LeaderWatch;
import dev.tenure.LeaderWatch.LeaderState;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ErrorThrottle;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.cli.process.Signals;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** {@code tenure watch}: a line for each change, until it is told to stop. */
public final class WatchCommand implements Command {
    private static final Option JSON = Option.flag("--json", "one JSON object per line, for programs");
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    @Override
    public Usage usage() {
        return new Usage(
                "watch",
                "print a line for each change of leader",
                "First the present state, then every change, of the elections that are named or of all that the store has or\n"
                        + "will have. Ends with Ctrl-C.",
                Form.of("[NAME…]").taking(StoreOptions.URL, JSON),
                "tenure watch",
                "tenure watch hello --json | jq -r .leader.node");
    }

    @Override
    public int run(Options options, Console console) {
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
            ErrorThrottle troubles = new ErrorThrottle(console, host);
            tenure.onEvent(event -> {
                if (event instanceof TenureEvent.StoreError trouble) {
                    troubles.print(trouble);
                    CliException failure = CliException.of(trouble.cause());
                    if (failure.isHopeless()) {
                        end.completeExceptionally(failure);
                    }
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

    /** Prints what watches see, one line for each change. Changes arrive one at a time, in order. */
    static final class ChangeLines {
        private static final String UNKNOWN = "unknown: no contact with the store";
        private static final int SIGPIPE = 13;
        private static final Duration LOOK_FOR_NEW_EVERY = Duration.ofSeconds(1);

        private final Console console;
        private final Host host;
        private final boolean json;
        private final CompletableFuture<Integer> end;
        private final Set<ElectionName> known = new HashSet<>();

        ChangeLines(Console console, Host host, boolean json, CompletableFuture<Integer> end) {
            this.console = console;
            this.host = host;
            this.json = json;
            this.end = end;
        }

        /** Also elections that are not there yet. The first look must succeed; the watches tell when later ones fail. */
        void followAll(Tenure tenure) {
            follow(tenure, tenure.elections().toCompletableFuture().join().keySet());
            lookLater(tenure);
        }

        private void lookLater(Tenure tenure) {
            host.post(() -> host.wakeAt(host.nanos() + LOOK_FOR_NEW_EVERY.toNanos(), () -> look(tenure)));
        }

        private void look(Tenure tenure) {
            var unused = tenure.elections().whenComplete((found, failure) -> {
                if (failure == null) {
                    follow(tenure, found.keySet());
                }
                lookLater(tenure);
            });
        }

        private synchronized void follow(Tenure tenure, Set<ElectionName> found) {
            try {
                found.stream().filter(known::add).forEach(name -> follow(tenure.observe(name.value())));
            } catch (RuntimeException failure) {
                end.completeExceptionally(CliException.of(failure));
            }
        }

        void follow(LeaderWatch watch) {
            String[] told = {UNKNOWN}; // until the first look that says nothing; afterwards it does
            watch.onChange(change -> {
                boolean vacant = change.now() instanceof LeaderState.Vacant;
                // The leader with its token. Since when it leads may become known a moment later, and is no change of
                // leader.
                String now = change.to().map(LeaderText::sentence).orElse(vacant ? "nobody leads" : UNKNOWN);
                if (!now.equals(told[0])) {
                    told[0] = now;
                    Instant time = Instant.ofEpochMilli(host.wallMillis());
                    String state = change.to().isPresent() ? "led" : vacant ? "vacant" : "unknown";
                    Map<String, Object> object = Json.object(
                            "time",
                            time,
                            "election",
                            watch.election(),
                            "state",
                            state,
                            "leader",
                            change.to().map(LeaderText::json));
                    if (!console.print(json ? Json.text(object) : time + " " + watch.election() + ": " + now)) {
                        end.complete(ExitCode.ofSignal(SIGPIPE));
                    }
                }
            });
        }
    }
}
