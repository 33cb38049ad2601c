package dev.tenure.cli.lab;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.text.Console;
import dev.tenure.lab.Explanation;
import java.util.List;

/** {@code tenure lab explain}. */
final class ExplainAction {
    private ExplainAction() {}

    static int run(Options options, Console console) {
        options.refuseOperands(2);
        LabOptions.only(options, List.of());
        console.out().print(Explanation.of(LabOptions.algorithm(options)));
        return ExitCode.OK;
    }
}
