package dev.tenure.cli.observe;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.Tenure;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.cli.text.Printable;
import dev.tenure.cli.text.Table;
import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** {@code tenure status}: who leads now. */
public final class StatusVerb implements Verb {
    private static final String NONE = "—";

    @Override
    public Usage usage() {
        return new Usage(
                "status",
                List.of("status [NAME…] [--url URL] [--json]"),
                "show who leads",
                "All elections of the store, or those that are named. With names, it exits 1 if one of them has no leader.",
                List.of(StoreOptions.URL, Option.JSON),
                List.of(),
                List.of("tenure status", "tenure status billing/sweeper --json", "tenure status hello && echo led"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseCommand();
        List<ElectionName> names =
                options.operands().stream().map(StoreOptions::election).toList();
        Host host = StoreOptions.host();
        try (Tenure tenure = StoreOptions.open(options, host)) {
            Map<ElectionName, Optional<Leader>> leaders =
                    names.isEmpty() ? tenure.elections().toCompletableFuture().join() : lookAt(names, tenure);
            if (options.has(Option.JSON)) {
                console.print(Json.text(json(tenure, leaders)));
            } else {
                show(tenure, leaders, host.wallMillis(), console);
            }
            boolean vacant = !names.isEmpty() && leaders.values().stream().anyMatch(Optional::isEmpty);
            return vacant ? ExitCode.NO : ExitCode.OK;
        }
    }

    private static Map<ElectionName, Optional<Leader>> lookAt(List<ElectionName> names, Tenure tenure) {
        Map<ElectionName, Optional<Leader>> leaders = new LinkedHashMap<>();
        names.forEach(name -> leaders.put(
                name, tenure.leaderOf(name.value()).toCompletableFuture().join()));
        return leaders;
    }

    private static Map<String, Object> json(Tenure tenure, Map<ElectionName, Optional<Leader>> leaders) {
        Map<String, Object> status = Json.object(
                "store", tenure.traits().store(),
                "grade", tenure.traits().grade(),
                "scope", scope(tenure));
        if (tenure.traits().members() > 0) {
            status.put("members", tenure.traits().members());
        }
        List<Object> elections = new ArrayList<>();
        leaders.forEach(
                (name, leader) -> elections.add(Json.object("election", name, "leader", leader.map(LeaderText::json))));
        status.put("elections", elections);
        return status;
    }

    private static void show(
            Tenure tenure, Map<ElectionName, Optional<Leader>> leaders, long nowMillis, Console console) {
        console.print(
                tenure.traits().store() + " (grade " + tenure.traits().grade() + ", scope " + scope(tenure) + ")");
        if (!tenure.traits().survival().isEmpty()) {
            console.print(tenure.traits().survival());
        }
        if (leaders.isEmpty()) {
            console.print("No elections yet. Hold the first one: tenure run --election hello -- echo \"I lead\"");
            return;
        }
        Table table = new Table("ELECTION", "LEADER", "TOKEN", "SINCE");
        leaders.forEach((name, leader) -> table.row(
                Printable.line(name.value()),
                leader.map(known -> Printable.line(known.node())).orElse(NONE),
                leader.map(known -> known.token().toString()).orElse(NONE),
                leader.map(known -> LeaderText.since(known, nowMillis)).orElse(NONE)));
        table.lines().forEach(console::print);
        leaders.values().stream()
                .flatMap(Optional::stream)
                .filter(LeaderText::isStuck)
                .forEach(stuck ->
                        stuck.foreign().ifPresent(foreign -> console.print(LeaderText.remedy(stuck, foreign))));
    }

    private static String scope(Tenure tenure) {
        return tenure.traits().scope().name().toLowerCase(Locale.ROOT);
    }
}
