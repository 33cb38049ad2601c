package dev.tenure.cli.operate;

import dev.tenure.Tenure;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Spelling;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.cli.text.Printable;
import dev.tenure.spi.StoreEra;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code tenure era}: the number above all tokens of a store. */
public final class EraVerb implements Verb {
    private static final Option JSON = Option.flag("--json", "one JSON object, for programs");
    private static final List<String> WORDS = List.of("show", "raise");

    @Override
    public Usage usage() {
        return new Usage(
                "era",
                List.of("era show [--url URL] [--json]", "era raise [--url URL] [--json]"),
                "show or raise the store's era",
                "The era is the high part of every token. Raise it after a store was restored from a backup: all tokens to come\n"
                        + "are then above all that were ever issued, also above those that the backup does not know.",
                List.of(StoreOptions.URL, JSON),
                WORDS,
                List.of("tenure era show", "tenure era raise --url local:/var/lib/myapp"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(1);
        String word = options.operands().isEmpty() ? "" : options.operands().get(0);
        if (!WORDS.contains(word)) {
            throw options.wrong(
                    word.isEmpty()
                            ? "show or raise?"
                            : "unknown word '" + Printable.line(word, 40) + "'" + Spelling.suggestion(word, WORDS));
        }
        try (Tenure tenure = StoreOptions.open(options, StoreOptions.host())) {
            boolean raise = word.equals("raise");
            StoreEra era = (raise ? tenure.raiseEra() : tenure.era())
                    .toCompletableFuture()
                    .join();
            if (options.has(JSON)) {
                Map<String, Object> shown = new LinkedHashMap<>();
                shown.put("store", tenure.traits().store());
                shown.put("storeId", era.storeId());
                shown.put("era", era.era());
                console.print(Json.text(shown));
            } else {
                console.print((raise ? "raised to era " : "era ") + era.era() + " of store " + era.storeId() + " at "
                        + tenure.traits().store());
            }
            return ExitCode.OK;
        }
    }
}
