package dev.tenure.cli.observe;

import dev.tenure.ElectionName;
import dev.tenure.LeaderWatch;
import dev.tenure.LeaderWatch.Sight;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.cli.text.Printable;
import dev.tenure.spi.Host;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Prints what watches see, one line for each change. Changes arrive one at a time, in order. */
final class ChangeLines {
    private static final int SIGPIPE = 13;

    private final Console console;
    private final Host host;
    private final boolean json;
    private final CompletableFuture<Integer> end;

    ChangeLines(Console console, Host host, boolean json, CompletableFuture<Integer> end) {
        this.console = console;
        this.host = host;
        this.json = json;
        this.end = end;
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
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", time);
        line.put("election", election);
        line.put("state", now instanceof Sight.Led ? "led" : now instanceof Sight.Vacant ? "vacant" : "unknown");
        line.put(
                "leader", now instanceof Sight.Led led ? Optional.of(LeaderText.json(led.leader())) : Optional.empty());
        return Json.text(line);
    }
}
