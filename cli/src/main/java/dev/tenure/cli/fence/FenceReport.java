package dev.tenure.cli.fence;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.cli.text.Printable;
import dev.tenure.cli.text.Table;
import dev.tenure.fence.sql.FenceState;
import dev.tenure.fence.sql.GuardedTableState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@code tenure fence status} shows. */
final class FenceReport {
    private static final String NONE = "—";

    private FenceReport() {}

    static int print(List<FenceState> fences, String database, boolean json, Console console) {
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("database", database);
            all.put("fences", fences.stream().map(FenceReport::json).toList());
            console.print(Json.text(all));
        } else {
            show(fences, database, console);
        }
        return fences.stream().anyMatch(FenceState::isOpen) ? ExitCode.NO : ExitCode.OK;
    }

    private static Map<String, Object> json(FenceState fence) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("resource", fence.resource());
        shown.put("election", fence.electionName());
        shown.put("store", fence.store());
        shown.put("token", Long.toString(fence.token()));
        shown.put("holder", fence.holder());
        shown.put("raised", fence.raised());
        shown.put(
                "tables",
                fence.tables().stream()
                        .map(table -> {
                            Map<String, Object> each = new LinkedHashMap<>();
                            each.put("table", table.table());
                            each.put("open", table.open());
                            each.put("known", table.known());
                            return each;
                        })
                        .toList());
        return shown;
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
