// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.database;

import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Table;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.patterns.Journal;
import dev.tenure.patterns.Migration;
import dev.tenure.patterns.Migration.StepStatus;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** {@code tenure migration status}. */
public final class MigrationCommand implements Command {
    @Override
    public Usage usage() {
        return new Usage(
                "migration",
                "show the steps of migrations: who applied or applies them, and since when",
                "Exits 1 if a step has failed.",
                Form.of("status").taking(CronCommand.URL, Option.JSON),
                "tenure migration status --url postgresql://app@db/app --json");
    }

    @Override
    public int run(Options options, Console console) {
        DatabaseUrl database = DatabaseUrl.of(options, CronCommand.URL);
        try {
            List<StepStatus> steps = Migration.status(Journal.jdbc(database.source()));
            List<Map<String, Object>> shown =
                    steps.stream().map(MigrationCommand::json).toList();
            Table table = Table.of(shown, "migration", "step", "state", "node", "began", "ended", "note");
            List<String> lines = steps.isEmpty() ? List.of("No migrations yet.") : table.lines();
            console.print(options, Map.of("steps", shown), lines);
            boolean failed = steps.stream().anyMatch(step -> step.state() == Migration.State.FAILED);
            return failed ? ExitCode.NO : ExitCode.OK;
        } catch (SQLException failure) {
            throw database.failed(failure);
        }
    }

    private static Map<String, Object> json(StepStatus step) {
        return Json.object(
                "migration", step.migration(),
                "step", step.step(),
                "state", step.state(),
                "node", step.at().node(),
                "token", step.at().token(),
                "began", step.at().began(),
                "ended", step.at().ended(),
                "note", step.note());
    }
}
