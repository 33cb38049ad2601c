// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.database;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Table;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.fence.sql.TableGuard;
import dev.tenure.fence.sql.TableGuard.FenceState;
import dev.tenure.fence.sql.TableGuard.GuardedTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code tenure fence}: tables that only the leader can write to. */
public final class FenceCommand implements Command {
    private static final Option TABLE =
            Option.value("--table", "TABLE[,TABLE…]", "the tables, with their schema if need be");
    private static final Option ELECTION = Option.value("--election", "NAME", "whose leader may write");
    private static final Option RESOURCE =
            Option.value("--resource", "NAME", "what FencedSql.guarding calls it, default the first table");
    private static final Option TOKEN =
            Option.value("--token", "N", "raise: to this token, default one above the newest");
    private static final Option URL = DatabaseUrl.option("the tables");

    @Override
    public Usage usage() {
        return new Usage(
                "fence",
                "let only the leader write to a table of PostgreSQL or MariaDB",
                """
                install puts triggers on tables: from then on a write is refused, whoever sends it, unless its transaction shows the
                newest token of the election, as FencedSql does by itself. status shows every fence, its newest token, and what is
                left open; it exits 1 if something is. raise refuses everything up to a token, also from the present leader; with
                --election it gives the fence to another election. uninstall removes the triggers; the fence keeps its token.
                """,
                List.of(
                        Form.of("install").needing(TABLE, ELECTION).taking(RESOURCE, URL, Option.JSON),
                        Form.of("status").taking(URL, Option.JSON),
                        Form.of("raise").needing(RESOURCE).taking(TOKEN, ELECTION, URL, Option.JSON),
                        Form.of("uninstall").needing(TABLE).taking(URL, Option.JSON)),
                List.of(
                        "tenure fence install --table book --election ledger/close-day --url postgresql://app@db/app",
                        "tenure fence status --url postgresql://app@db/app --json",
                        "tenure fence uninstall --table book --url postgresql://app@db/app"));
    }

    @Override
    public int run(Options options, Console console) {
        // What the options say is read before the database is connected to.
        List<String> tables = tables(options);
        Optional<ElectionName> election = options.value(ELECTION).map(ElectionName::of);
        Optional<FencingToken> token = options.value(TOKEN).map(FencingToken::parse);
        String resource = options.has(RESOURCE)
                ? options.needed(RESOURCE)
                : tables.stream().findFirst().orElse("").replace("\"", "");
        DatabaseUrl database = DatabaseUrl.of(options, URL);
        try (Connection connection = database.connect()) {
            TableGuard guard = TableGuard.at(connection);
            switch (options.operand(0)) {
                case "install" -> {
                    guard.install(resource, election.orElseThrow(), tables);
                    Map<String, Object> done =
                            Json.object("resource", resource, "election", election.get(), "tables", tables);
                    String sentence = "from now on only the leader of " + election.get() + " can write to "
                            + String.join(", ", tables) + ": through FencedSql.guarding(dataSource, \"" + resource
                            + "\"), or after tenure_present in the same transaction";
                    console.print(options, done, sentence);
                }
                case "raise" -> {
                    FencingToken raised = guard.raise(resource, token, election);
                    String sentence = "the fence of " + resource + " is at token " + raised;
                    Map<String, Object> done = Json.object("resource", resource, "token", raised);
                    console.print(options, done, sentence + ": everything up to it is refused");
                }
                case "uninstall" -> {
                    guard.uninstall(tables);
                    String sentence = "everybody can write to " + String.join(", ", tables) + " again";
                    console.print(options, Map.of("tables", tables), sentence);
                }
                default -> {
                    return status(guard.status(), database.toString(), options, console);
                }
            }
            return ExitCode.OK;
        } catch (SQLException failure) {
            throw database.failed(failure);
        }
    }

    private static List<String> tables(Options options) {
        List<String> tables = options.value(TABLE).stream()
                .flatMap(names -> Arrays.stream(names.split(",", -1)))
                .map(String::strip)
                .toList();
        if (tables.contains("")) {
            throw options.wrong("--table has an empty name among its tables");
        }
        return tables;
    }

    private static int status(List<FenceState> fences, String database, Options options, Console console) {
        List<?> shown = fences.stream().map(FenceCommand::json).toList();
        console.print(options, Json.object("database", database, "fences", shown), lines(fences, database));
        return fences.stream().anyMatch(FenceState::isOpen) ? ExitCode.NO : ExitCode.OK;
    }

    private static Map<String, Object> json(FenceState fence) {
        return Json.object(
                "resource", fence.resource(),
                "election", fence.election(),
                "store", fence.store(),
                "token", Long.toString(fence.newest().token()),
                "holder", fence.newest().holder(),
                "raised", fence.newest().at(),
                "tables", fence.tables().stream().map(FenceCommand::json).toList());
    }

    private static Map<String, Object> json(GuardedTable table) {
        return Json.object("table", table.table(), "open", table.open(), "known", table.known());
    }

    private static List<String> lines(List<FenceState> fences, String database) {
        if (fences.isEmpty()) {
            return List.of(
                    database, "No fences yet. The first one: tenure fence install --table TABLE --election NAME");
        }
        Table table = new Table("RESOURCE", "ELECTION", "TOKEN", "HOLDER", "RAISED", "TABLES BEHIND TRIGGERS");
        for (FenceState fence : fences) {
            String tables = String.join(
                    ", ", fence.tables().stream().map(GuardedTable::table).toList());
            table.row(
                    fence.resource(),
                    fence.election(),
                    Optional.of(fence.newest().token()).filter(token -> token > 0),
                    fence.newest().holder(),
                    fence.newest().at(),
                    Optional.of(tables).filter(names -> !names.isEmpty()));
        }
        List<String> lines = new ArrayList<>(table.lines());
        lines.add(0, database);
        for (FenceState fence : fences) {
            for (GuardedTable each : fence.tables()) {
                each.open().forEach(line -> lines.add("OPEN  " + each.table() + ": " + line));
                each.known().forEach(line -> lines.add("note  " + each.table() + ": " + line));
            }
        }
        return lines;
    }
}
