package dev.tenure.cli.fence;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.cli.text.Printable;
import dev.tenure.cli.text.Table;
import dev.tenure.fence.sql.FenceState;
import dev.tenure.fence.sql.GuardedTableState;
import java.util.List;
import java.util.Map;

/** What {@code tenure fence status} shows. */
final class FenceReport {
    private static final String NONE = "—";

    private FenceReport() {}

    static int print(List<FenceState> fences, String database, boolean json, Console console) {
        if (json) {
            List<?> shown = fences.stream().map(FenceReport::json).toList();
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
                "tables", fence.tables().stream().map(FenceReport::json).toList());
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
