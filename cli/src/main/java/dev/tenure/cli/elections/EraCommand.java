// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

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
import dev.tenure.spi.StoreEra;

/** {@code tenure era}: the number above all tokens of a store. */
public final class EraCommand implements Command {
    @Override
    public Usage usage() {
        return new Usage(
                "era",
                "show or raise the store's era",
                "The era is the high part of every token. Raise it after a store was restored from a backup: all tokens to come\n"
                        + "are then above all that were ever issued, also above those that the backup does not know.",
                Form.of("show|raise").taking(StoreOptions.URL, Option.JSON),
                "tenure era show",
                "tenure era raise --url local:/var/lib/myapp");
    }

    @Override
    public int run(Options options, Console console) {
        boolean raise = options.operand(0).equals("raise");
        try (Tenure tenure = StoreOptions.open(options, StoreOptions.host())) {
            StoreEra era = (raise ? tenure.raiseEra() : tenure.era())
                    .toCompletableFuture()
                    .join();
            String store = tenure.traits().store();
            console.print(
                    options,
                    Json.object("store", store, "storeId", era.storeId(), "era", era.era()),
                    (raise ? "raised to era " : "era ") + era.era() + " of store " + era.storeId() + " at " + store);
            return ExitCode.OK;
        }
    }
}
