package dev.tenure.cli.patterns;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.fence.DatabaseUrl;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.cli.text.Printable;
import dev.tenure.cli.text.Table;
import dev.tenure.patterns.Journal;
import dev.tenure.patterns.Migration;
import dev.tenure.patterns.Migration.StepStatus;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code tenure migration status}. */
public final class MigrationVerb implements Verb {
    @Override
    public Usage usage() {
        return new Usage(
                "migration",
                List.of("migration status [--url URL] [--json]"),
                "show the steps of migrations: who applied or applies them, and since when",
                "Exits 1 if a step has failed.",
                List.of(CronVerb.URL, CronVerb.JSON),
                List.of("status"),
                List.of("tenure migration status --url postgresql://app@db/app --json"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(1);
        if (!options.operands().equals(List.of("status"))) {
            throw options.wrong("tenure migration status?");
        }
        DatabaseUrl database = CronVerb.database(options);
        try {
            List<StepStatus> steps = Migration.status(Journal.jdbc(database.source()));
            if (options.has(CronVerb.JSON)) {
                console.print(Json.text(
                        Map.of("steps", steps.stream().map(MigrationVerb::json).toList())));
            } else if (steps.isEmpty()) {
                console.print("No migrations yet.");
            } else {
                show(steps, console);
            }
            boolean failed = steps.stream().anyMatch(step -> step.state() == Migration.State.FAILED);
            return failed ? ExitCode.NO : ExitCode.OK;
        } catch (SQLException failure) {
            throw database.failed(failure);
        }
    }

    private static void show(List<StepStatus> steps, Console console) {
        Table table = new Table("MIGRATION", "STEP", "STATE", "NODE", "BEGAN", "ENDED", "NOTE");
        steps.forEach(step -> table.row(
                step.migration(),
                step.step(),
                step.state().toString(),
                Printable.line(step.at().node()),
                step.at().began().toString(),
                CronVerb.text(step.at().ended()),
                Printable.line(step.note())));
        table.lines().forEach(console::print);
    }

    private static Map<String, Object> json(StepStatus step) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("migration", step.migration());
        told.put("step", step.step());
        told.put("state", step.state());
        told.put("node", step.at().node());
        told.put("token", step.at().token());
        told.put("began", step.at().began());
        told.put("ended", step.at().ended());
        told.put("note", step.note());
        return told;
    }
}
