// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** All figures of a run, one row each, printed as soon as it is known. */
final class FigureTable {
    private final PrintStream out;

    FigureTable(PrintStream out) {
        this.out = out;
        row("store", "median (p10..p90, p99, n)", "Tenure", "beside it", "must be");
        out.println("|---|---|---|---|---|");
    }

    void add(String store, List<Kind> kinds, Figure figure) {
        String beside = kinds.stream()
                .filter(kind -> kind != Kind.TENURE && !figure.cell(kind).equals("-"))
                .map(kind -> kind.title() + ": " + figure.cell(kind))
                .collect(Collectors.joining("; "));
        row(store, figure.what(), figure.cell(Kind.TENURE), beside, String.join("; ", figure.verdicts()));
    }

    void failed(String store, String what, Throwable failure) {
        row(store, what, "FAILED: " + failure, "", "");
    }

    private void row(String store, String what, String tenure, String beside, String target) {
        out.printf(Locale.ROOT, "| %-23s | %-62s | %-34s | %s | %s |%n", store, what, tenure, beside, target);
    }
}
