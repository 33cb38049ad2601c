package dev.tenure.cli.operate;

import dev.tenure.Tenure;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.spi.StoreEra;
import java.util.List;

/** {@code tenure era}: the number above all tokens of a store. */
public final class EraVerb implements Verb {
    private static final List<String> WORDS = List.of("show", "raise");

    @Override
    public Usage usage() {
        return new Usage(
                "era",
                List.of("era show [--url URL] [--json]", "era raise [--url URL] [--json]"),
                "show or raise the store's era",
                "The era is the high part of every token. Raise it after a store was restored from a backup: all tokens to come\n"
                        + "are then above all that were ever issued, also above those that the backup does not know.",
                List.of(StoreOptions.URL, Option.JSON),
                WORDS,
                List.of("tenure era show", "tenure era raise --url local:/var/lib/myapp"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(1);
        boolean raise = options.word("word", WORDS, "show or raise?").equals("raise");
        try (Tenure tenure = StoreOptions.open(options, StoreOptions.host())) {
            StoreEra era = (raise ? tenure.raiseEra() : tenure.era())
                    .toCompletableFuture()
                    .join();
            if (options.has(Option.JSON)) {
                console.print(Json.text(Json.object(
                        "store", tenure.traits().store(),
                        "storeId", era.storeId(),
                        "era", era.era())));
            } else {
                console.print((raise ? "raised to era " : "era ") + era.era() + " of store " + era.storeId() + " at "
                        + tenure.traits().store());
            }
            return ExitCode.OK;
        }
    }
}
