package dev.tenure.cli.observe;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.LeaderWatch;
import dev.tenure.LeaderWatch.Sight;
import dev.tenure.Tenure;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.cli.text.Printable;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Prints what watches see, one line for each change. Changes arrive one at a time, in order. */
final class ChangeLines {
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
            end.completeExceptionally(Failure.of(failure));
        }
    }

    void follow(LeaderWatch watch) {
        // Until the first look "unknown" says nothing; afterwards it does.
        String[] told = {gist(new Sight.Unknown())};
        watch.onChange(change -> {
            String now = gist(change.now());
            if (!now.equals(told[0])) {
                told[0] = now;
                print(watch.election(), change.now());
            }
        });
    }

    /** Who leads with which token. Since when may become known a moment later, and is no change of leader. */
    private static String gist(Sight now) {
        return now instanceof Sight.Led led ? LeaderText.sentence(led.leader()) : now.toString();
    }

    private void print(ElectionName election, Sight now) {
        Instant time = Instant.ofEpochMilli(host.wallMillis());
        boolean read = console.print(json ? json(time, election, now) : text(time, election, now));
        if (!read) {
            end.complete(ExitCode.ofSignal(SIGPIPE));
        }
    }

    private static String text(Instant time, ElectionName election, Sight now) {
        String what = now instanceof Sight.Led led
                ? LeaderText.sentence(led.leader())
                : now instanceof Sight.Vacant ? "nobody leads" : "unknown: no contact with the store";
        return time + " " + Printable.line(election.value()) + ": " + what;
    }

    private static String json(Instant time, ElectionName election, Sight now) {
        String state = now instanceof Sight.Led ? "led" : now instanceof Sight.Vacant ? "vacant" : "unknown";
        Optional<Leader> leader = now instanceof Sight.Led led ? Optional.of(led.leader()) : Optional.empty();
        return Json.text(Json.object(
                "time", time, "election", election, "state", state, "leader", leader.map(LeaderText::json)));
    }
}
