// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.Tenure;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Table;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** {@code tenure status}: who leads now. */
public final class StatusCommand implements Command {
    @Override
    public Usage usage() {
        return new Usage(
                "status",
                "show who leads",
                "All elections of the store, or those that are named. With names, it exits 1 if one of them has no leader.",
                Form.of("[NAME…]").taking(StoreOptions.URL, Option.JSON),
                "tenure status",
                "tenure status billing/sweeper --json",
                "tenure status hello && echo led");
    }

    @Override
    public int run(Options options, Console console) {
        List<ElectionName> names =
                options.operands().stream().map(StoreOptions::election).toList();
        Host host = StoreOptions.host();
        try (Tenure tenure = StoreOptions.open(options, host)) {
            Map<ElectionName, Optional<Leader>> leaders =
                    names.isEmpty() ? tenure.elections().toCompletableFuture().join() : lookAt(names, tenure);
            console.print(options, json(tenure.traits(), leaders), lines(tenure.traits(), leaders, host.wallMillis()));
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

    private static Map<String, Object> json(BackendTraits store, Map<ElectionName, Optional<Leader>> leaders) {
        Map<String, Object> status = Json.object("store", store.store(), "grade", store.grade(), "scope", scope(store));
        if (store.members() > 0) {
            status.put("members", store.members());
        }
        List<Object> elections = new ArrayList<>();
        leaders.forEach(
                (name, leader) -> elections.add(Json.object("election", name, "leader", leader.map(LeaderText::json))));
        status.put("elections", elections);
        return status;
    }

    private static List<String> lines(
            BackendTraits store, Map<ElectionName, Optional<Leader>> leaders, long nowMillis) {
        List<String> lines = new ArrayList<>();
        lines.add(store.store() + " (grade " + store.grade() + ", scope " + scope(store) + ")");
        if (!store.survival().isEmpty()) {
            lines.add(store.survival());
        }
        if (leaders.isEmpty()) {
            lines.add("No elections yet. Hold the first one: tenure run --election hello -- echo \"I lead\"");
            return lines;
        }
        Table table = new Table("ELECTION", "LEADER", "TOKEN", "SINCE");
        leaders.forEach((name, leader) -> table.row(
                name,
                leader.map(Leader::node),
                leader.map(Leader::token),
                leader.map(known -> LeaderText.since(known, nowMillis))));
        lines.addAll(table.lines());
        leaders.values().stream()
                .flatMap(Optional::stream)
                .filter(LeaderText::isStuck)
                .forEach(stuck -> stuck.foreign().ifPresent(foreign -> lines.add(LeaderText.remedy(stuck, foreign))));
        return lines;
    }

    private static String scope(BackendTraits store) {
        return store.scope().name().toLowerCase(Locale.ROOT);
    }
}
