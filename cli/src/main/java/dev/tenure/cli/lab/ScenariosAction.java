package dev.tenure.cli.lab;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Table;
import dev.tenure.lab.scenario.Library;
import java.util.List;

/** {@code tenure lab scenarios}: what there is, or the file of one, to begin another with. */
final class ScenariosAction {
    private ScenariosAction() {}

    static int run(Options options, Console console) {
        options.refuseOperands(2);
        LabOptions.only(options, List.of());
        if (options.operands().size() == 2) {
            String name = options.operands().get(1);
            Library.load(name);
            console.out().print(Library.text(name));
            return ExitCode.OK;
        }
        Table table = new Table("SCENARIO", "NODES", "WHAT HAPPENS");
        for (String name : Library.NAMES) {
            table.row(
                    name,
                    Integer.toString(Library.load(name).nodes()),
                    Library.load(name).about());
        }
        table.lines().forEach(console::print);
        return ExitCode.OK;
    }
}
