package dev.tenure.cli;

import dev.tenure.cli.command.Verb;
import dev.tenure.cli.demo.DemoVerb;
import dev.tenure.cli.fence.FenceVerb;
import dev.tenure.cli.lab.LabVerb;
import dev.tenure.cli.observe.StatusVerb;
import dev.tenure.cli.observe.WatchVerb;
import dev.tenure.cli.operate.EraVerb;
import dev.tenure.cli.operate.PruneVerb;
import dev.tenure.cli.operate.ResignVerb;
import dev.tenure.cli.patterns.CronVerb;
import dev.tenure.cli.patterns.MigrationVerb;
import dev.tenure.cli.run.RunVerb;
import dev.tenure.cli.sim.SimVerb;
import java.util.List;
import java.util.Optional;

/** The verbs, in the order in which the help shows them. Only the class of the one that is asked for is loaded. */
final class Verbs {
    static final List<String> NAMES = List.of(
            "run",
            "status",
            "watch",
            "resign",
            "era",
            "prune",
            "fence",
            "cron",
            "migration",
            "demo",
            "sim",
            "lab",
            "completion",
            "version",
            "help");

    private Verbs() {}

    static Optional<Verb> find(String name) {
        return Optional.ofNullable(
                switch (name) {
                    case "run" -> new RunVerb();
                    case "status" -> new StatusVerb();
                    case "watch" -> new WatchVerb();
                    case "resign" -> new ResignVerb();
                    case "era" -> new EraVerb();
                    case "prune" -> new PruneVerb();
                    case "fence" -> new FenceVerb();
                    case "cron" -> new CronVerb();
                    case "migration" -> new MigrationVerb();
                    case "demo" -> new DemoVerb();
                    case "sim" -> new SimVerb();
                    case "lab" -> new LabVerb();
                    case "completion" -> new CompletionVerb();
                    case "version" -> new VersionVerb();
                    case "help" -> new HelpVerb();
                    default -> null;
                });
    }

    static List<Verb> all() {
        return NAMES.stream().flatMap(name -> find(name).stream()).toList();
    }
}
