// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.cli.database.CronCommand;
import dev.tenure.cli.database.FenceCommand;
import dev.tenure.cli.database.MigrationCommand;
import dev.tenure.cli.demo.DemoCommand;
import dev.tenure.cli.elections.EraCommand;
import dev.tenure.cli.elections.KubernetesCommand;
import dev.tenure.cli.elections.PruneCommand;
import dev.tenure.cli.elections.ResignCommand;
import dev.tenure.cli.elections.StatusCommand;
import dev.tenure.cli.elections.WatchCommand;
import dev.tenure.cli.lab.LabCommand;
import dev.tenure.cli.lab.SimCommand;
import dev.tenure.cli.run.RunCommand;
import dev.tenure.spi.BackendProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/** The verbs, in the order in which the help shows them. Only the class of the one that is asked for is loaded. */
final class Commands {
    static final List<String> NAMES = List.of(
            "run status watch resign era prune fence cron migration kubernetes demo sim lab completion version help"
                    .split(" "));

    private Commands() {}

    static Command find(String name) {
        return switch (name) {
            case "run" -> new RunCommand();
            case "status" -> new StatusCommand();
            case "watch" -> new WatchCommand();
            case "resign" -> new ResignCommand();
            case "era" -> new EraCommand();
            case "prune" -> new PruneCommand();
            case "fence" -> new FenceCommand();
            case "cron" -> new CronCommand();
            case "migration" -> new MigrationCommand();
            case "kubernetes" -> new KubernetesCommand();
            case "demo" -> new DemoCommand();
            case "sim" -> new SimCommand();
            case "lab" -> new LabCommand();
            case "completion" -> new CompletionCommand();
            case "version" -> new VersionCommand();
            case "help" -> new HelpCommand();
            default ->
                throw CliException.usage(
                        "unknown verb " + Options.shown(name) + Options.suggestion(name, NAMES) + " (see tenure help)");
        };
    }

    static List<Usage> usages() {
        return NAMES.stream().map(name -> find(name).usage()).toList();
    }

    /** {@code tenure help [VERB]}. */
    private static final class HelpCommand implements Command {
        private static final String CODES = """
                Exit codes
                  the command's own, 128+n if a signal ended it; 126 it cannot be run, 127 it was not found
                  1   the answer is no: nobody leads, a fence is open, a record had to stay, a step has failed
                  64  wrong usage, or a store that cannot work with these settings
                  65  the store is corrupt or belongs to something else
                  69  the store, or the leader that was asked, did not answer in time
                  75  leadership was lost (run --exit-on-loss)

                Environment
                  TENURE_URL, TENURE_ID, TENURE_TTL, TENURE_GRACE, TENURE_WAIT  stand in for options that are not given
                  TENURE_LOG    error, warning (default), info or debug
                  TENURE_DEBUG  1 shows where an error came from
                """;

        @Override
        public Usage usage() {
            return new Usage("help", "explain a verb", "", Form.of("[VERB]").completing(NAMES), "tenure help run");
        }

        @Override
        public int run(Options options, Console console) {
            if (!options.operands().isEmpty()) {
                console.out().print(find(options.operand(0)).usage().help());
                return ExitCode.OK;
            }
            StringBuilder help = new StringBuilder("tenure: exactly one process does the job\n\n");
            usages().forEach(usage -> help.append("  tenure ")
                    .append(usage.verb())
                    .append(" ".repeat(12 - usage.verb().length()))
                    .append(usage.summary())
                    .append('\n'));
            help.append(
                    "\ntenure help VERB tells more; start with\n  tenure run --election hello -- echo \"I lead\"\n\n");
            console.out().print(help.append(CODES));
            return ExitCode.OK;
        }
    }

    /** {@code tenure version}. */
    private static final class VersionCommand implements Command {
        @Override
        public Usage usage() {
            Form form = Form.of("").taking(Option.JSON);
            return new Usage("version", "show the version, the JVM and the backends", "", form);
        }

        @Override
        public int run(Options options, Console console) {
            String version = Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                    .orElse("(not packaged)");
            String jvm = System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version");
            List<String> schemes = ServiceLoader.load(BackendProvider.class).stream()
                    .flatMap(provider -> provider.get().schemes().stream())
                    .map(scheme -> scheme + ":")
                    .sorted()
                    .toList();
            Map<String, Object> object = Json.object("version", version, "jvm", jvm, "backends", schemes);
            String backends = schemes.isEmpty() ? "none" : String.join(" ", schemes);
            console.print(options, object, List.of("tenure " + version, "jvm " + jvm, "backends " + backends));
            return ExitCode.OK;
        }
    }
}
