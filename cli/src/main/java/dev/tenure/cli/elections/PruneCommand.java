// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

import dev.tenure.Pruned;
import dev.tenure.Tenure;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.spi.DurationText;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** {@code tenure prune}: removes the records of elections that nobody has held for long. */
public final class PruneCommand implements Command {
    private static final Option OLDER_THAN =
            Option.value("--older-than", "TIME", "how old its last token must be, default 7d, at least 1d");
    private static final Option DRY_RUN = Option.flag("--dry-run", "count them, and remove nothing");
    private static final Duration OLDER_THAN_DEFAULT = Duration.ofDays(7);
    private static final int REFUSED_SHOWN_MAX = 20;

    @Override
    public Usage usage() {
        return new Usage(
                "prune",
                "remove records of elections that are not used any more",
                """
                A store keeps a record of each election, also when nobody holds it, because the last token stands in it. This
                removes those that nobody holds and whose last token is old enough. The next token follows the store's clock,
                so it is higher all the same; where that clock is behind a token, the record stays, and it exits 1. Only for
                stores that count their tokens: local: and rows in a database.""",
                Form.of("").taking(StoreOptions.URL, OLDER_THAN, DRY_RUN, Option.JSON),
                "tenure prune --dry-run",
                "tenure prune --older-than 30d --url jdbc:postgresql://db/app");
    }

    @Override
    public int run(Options options, Console console) {
        Duration olderThan = options.duration(OLDER_THAN).orElse(OLDER_THAN_DEFAULT);
        boolean dryRun = options.has(DRY_RUN);
        try (Tenure tenure = StoreOptions.open(options, StoreOptions.host())) {
            CompletionStage<Pruned> pruning = dryRun
                    ? tenure.prunable(olderThan)
                    : tenure.prune(
                            olderThan, so -> console.progress(so.removed() + " of " + so.prunable() + " removed"));
            Pruned pruned = pruning.toCompletableFuture().join();
            console.progress("");
            if (!options.has(Option.JSON)) {
                pruned.refused().stream()
                        .limit(REFUSED_SHOWN_MAX)
                        .forEach(kept -> console.say(kept.election() + " stays: " + kept.why()));
            }
            console.print(
                    options,
                    json(tenure, pruned, olderThan, dryRun),
                    (dryRun ? pruned.prunable() + " would be removed" : pruned.removed() + " removed") + " of "
                            + pruned.records() + (pruned.records() == 1 ? " record at " : " records at ")
                            + tenure.traits().store() + ", " + pruned.refused().size() + " refused");
            return pruned.refused().isEmpty() ? ExitCode.OK : ExitCode.NO;
        }
    }

    private static Map<String, Object> json(Tenure tenure, Pruned pruned, Duration olderThan, boolean dryRun) {
        return Json.object(
                "store", tenure.traits().store(),
                "olderThan", DurationText.format(olderThan),
                "dryRun", dryRun,
                "records", pruned.records(),
                "prunable", pruned.prunable(),
                "removed", pruned.removed(),
                "refused",
                        pruned.refused().stream()
                                .map(kept -> Json.object("election", kept.election(), "why", kept.why()))
                                .toList());
    }
}
