package dev.tenure.cli.fence;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
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
import dev.tenure.fence.sql.FenceState;
import dev.tenure.fence.sql.GuardedTableState;
import dev.tenure.fence.sql.TableGuard;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** {@code tenure fence}: tables that only the leader can write to. */
public final class FenceVerb implements Verb {
    private static final Option TABLE =
            Option.value("--table", "TABLE[,TABLE…]", "the tables, with their schema if need be");
    private static final Option ELECTION = Option.value("--election", "NAME", "whose leader may write");
    private static final Option RESOURCE =
            Option.value("--resource", "NAME", "what FencedSql.guarding calls it, default the first table");
    private static final Option TOKEN =
            Option.value("--token", "N", "raise: to this token, default one above the newest");
    private static final Option URL =
            Option.value("--url", "URL", "the database that has the tables").or(StoreOptions.URL.variable());
    private static final String NONE = "—";
    private static final List<String> WORDS = List.of("install", "status", "raise", "uninstall");

    @Override
    public Usage usage() {
        return new Usage(
                "fence",
                List.of(
                        "fence install --table TABLE --election NAME [--resource NAME] [--url URL] [--json]",
                        "fence status [--url URL] [--json]",
                        "fence raise --resource NAME [--token N] [--election NAME] [--url URL] [--json]",
                        "fence uninstall --table TABLE [--url URL] [--json]"),
                "let only the leader write to a table of PostgreSQL or MariaDB",
                """
                install puts triggers on tables: from then on a write is refused, whoever sends it, unless its transaction shows the
                newest token of the election, as FencedSql does by itself. status shows every fence, its newest token, and what is
                left open; it exits 1 if something is. raise refuses everything up to a token, also from the present leader; with
                --election it gives the fence to another election. uninstall removes the triggers; the fence keeps its token.
                """,
                List.of(TABLE, ELECTION, RESOURCE, TOKEN, URL, Option.JSON),
                WORDS,
                List.of(
                        "tenure fence install --table book --election ledger/close-day --url postgresql://app@db/app",
                        "tenure fence status --url postgresql://app@db/app --json",
                        "tenure fence uninstall --table book --url postgresql://app@db/app"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(1);
        String word = options.word("word", WORDS, "install, status, raise or uninstall?");
        refuseMisplaced(word, options);
        DatabaseUrl database = DatabaseUrl.parse(options.value(URL)
                .orElseThrow(() -> options.wrong("which database? --url postgresql://user@host/db, or TENURE_URL")));
        try (Connection connection = database.connect()) {
            TableGuard guard = TableGuard.at(connection);
            return switch (word) {
                case "install" -> install(guard, options, console);
                case "raise" -> raise(guard, options, console);
                case "uninstall" -> uninstall(guard, options, console);
                default -> status(guard.status(), database.toString(), options.has(Option.JSON), console);
            };
        } catch (SQLException failure) {
            throw database.failed(failure);
        }
    }

    private static void refuseMisplaced(String word, Options options) {
        Map<String, List<Option>> taken = Map.of(
                "install", List.of(TABLE, ELECTION, RESOURCE),
                "status", List.of(),
                "raise", List.of(RESOURCE, TOKEN, ELECTION),
                "uninstall", List.of(TABLE));
        for (Option option : List.of(TABLE, ELECTION, RESOURCE, TOKEN)) {
            if (options.has(option) && !taken.getOrDefault(word, List.of()).contains(option)) {
                throw options.wrong("fence " + word + " takes no " + option.name());
            }
        }
    }

    private static int install(TableGuard guard, Options options, Console console) throws SQLException {
        List<String> tables = tables(options);
        ElectionName election = ElectionName.of(needed(options, ELECTION));
        String resource = options.value(RESOURCE).orElseGet(() -> tables.get(0).replace("\"", ""));
        guard.install(resource, election, tables);
        String sentence = "from now on only the leader of " + election + " can write to " + String.join(", ", tables)
                + ": through FencedSql.guarding(dataSource, \"" + resource
                + "\"), or after tenure_present in the same transaction";
        Map<String, Object> done = Json.object("resource", resource, "election", election, "tables", tables);
        return tell(options, console, done, sentence);
    }

    private static int raise(TableGuard guard, Options options, Console console) throws SQLException {
        String resource = needed(options, RESOURCE);
        FencingToken token = guard.raise(
                resource,
                options.value(TOKEN).map(FencingToken::parse),
                options.value(ELECTION).map(ElectionName::of));
        String sentence = "the fence of " + resource + " is at token " + token + ": everything up to it is refused";
        return tell(options, console, Json.object("resource", resource, "token", token), sentence);
    }

    private static int uninstall(TableGuard guard, Options options, Console console) throws SQLException {
        List<String> tables = tables(options);
        guard.uninstall(tables);
        String sentence = "everybody can write to " + String.join(", ", tables) + " again";
        return tell(options, console, Map.of("tables", tables), sentence);
    }

    private static int tell(Options options, Console console, Map<String, Object> done, String sentence) {
        console.print(options.has(Option.JSON) ? Json.text(done) : Printable.line(sentence));
        return ExitCode.OK;
    }

    private static List<String> tables(Options options) {
        List<String> tables = Arrays.stream(needed(options, TABLE).split(",", -1))
                .map(String::strip)
                .toList();
        if (tables.stream().anyMatch(String::isEmpty)) {
            throw options.wrong("--table has an empty name among its tables");
        }
        return tables;
    }

    private static String needed(Options options, Option option) {
        return options.value(option)
                .filter(text -> !text.isBlank())
                .orElseThrow(
                        () -> options.wrong(option.name() + " is missing: " + option.name() + " " + option.value()));
    }

    private static int status(List<FenceState> fences, String database, boolean json, Console console) {
        if (json) {
            List<?> shown = fences.stream().map(FenceVerb::json).toList();
            console.print(Json.text(Json.object("database", database, "fences", shown)));
        } else {
            show(fences, database, console);
        }
        return fences.stream().anyMatch(FenceState::isOpen) ? ExitCode.NO : ExitCode.OK;
    }

    private static Map<String, Object> json(FenceState fence) {
        return Json.object(
                "resource", fence.resource(),
                "election", fence.electionName(),
                "store", fence.store(),
                "token", Long.toString(fence.token()),
                "holder", fence.holder(),
                "raised", fence.raised(),
                "tables", fence.tables().stream().map(FenceVerb::json).toList());
    }

    private static Map<String, Object> json(GuardedTableState table) {
        return Json.object("table", table.table(), "open", table.open(), "known", table.known());
    }

    private static void show(List<FenceState> fences, String database, Console console) {
        console.print(database);
        if (fences.isEmpty()) {
            console.print("No fences yet. The first one: tenure fence install --table TABLE --election NAME");
            return;
        }
        Table table = new Table("RESOURCE", "ELECTION", "TOKEN", "HOLDER", "RAISED", "TABLES BEHIND TRIGGERS");
        for (FenceState fence : fences) {
            String tables = String.join(
                    ", ", fence.tables().stream().map(GuardedTableState::table).toList());
            table.row(
                    fence.resource(),
                    Printable.line(fence.electionName()),
                    fence.token() == 0 ? NONE : Long.toString(fence.token()),
                    Printable.line(fence.holder()),
                    fence.raised(),
                    tables.isEmpty() ? NONE : Printable.line(tables));
        }
        table.lines().forEach(console::print);
        for (FenceState fence : fences) {
            for (GuardedTableState each : fence.tables()) {
                each.open().forEach(line -> console.print("OPEN  " + Printable.line(each.table() + ": " + line)));
                each.known().forEach(line -> console.print("note  " + Printable.line(each.table() + ": " + line)));
            }
        }
    }
}
