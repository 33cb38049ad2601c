package dev.tenure.cli;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import java.util.List;

/** {@code tenure help [VERB]}. */
final class HelpVerb implements Verb {
    private static final String CODES = """
            Exit codes
              the command's own, 128+n if a signal ended it; 126 it cannot be run, 127 it was not found
              1   status or resign of one election, and nobody leads it; fence status, and a fence has a gap
              64  wrong usage, or a store that cannot work with these settings
              65  the store is corrupt or belongs to something else
              69  the store, or whoever was asked, did not answer in time
              75  leadership was lost (run --exit-on-loss)

            Environment
              TENURE_URL, TENURE_ID, TENURE_TTL, TENURE_GRACE, TENURE_WAIT  stand in for options that are not given
              TENURE_LOG    error, warning (default), info or debug
              TENURE_DEBUG  1 shows where an error came from
            """;

    @Override
    public Usage usage() {
        return new Usage(
                "help",
                List.of("help [VERB]"),
                "explain a verb",
                "",
                List.of(),
                Verbs.NAMES,
                List.of("tenure help run"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(1);
        if (!options.operands().isEmpty()) {
            String name = options.operands().get(0);
            Verb verb = Verbs.find(name).orElseThrow(() -> Program.unknown(name));
            console.out().print(verb.usage().help());
            return ExitCode.OK;
        }
        StringBuilder help = new StringBuilder("tenure: exactly one process does the job\n\n");
        for (Verb verb : Verbs.all()) {
            String name = verb.usage().verb();
            help.append("  tenure " + name + " ".repeat(12 - name.length())
                    + verb.usage().summary() + "\n");
        }
        help.append("\ntenure help VERB tells more; start with\n  tenure run --election hello -- echo \"I lead\"\n\n");
        console.out().print(help.append(CODES));
        return ExitCode.OK;
    }
}
