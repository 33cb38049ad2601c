// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench;

import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Tenure;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** What {@code isValid()} costs, against the floor: reading the two clocks that it cannot do without. */
final class ValidityCost {
    private static final int CALLS = 20_000_000;

    private ValidityCost() {}

    static void measure(Path directory, PrintStream out) throws Exception {
        try (Tenure tenure = Tenure.connect("local:" + directory).open()) {
            CompletableFuture<Leadership> elected = new CompletableFuture<>();
            Candidacy candidacy = tenure.elect("validity").perform(leadership -> {
                elected.complete(leadership);
                leadership.rest(Duration.ofHours(1));
            });
            Leadership leadership = elected.join();
            BooleanSupplier clocks = () -> System.nanoTime() != 0 && System.currentTimeMillis() != 0;
            for (int warmUp = 0; warmUp < 3; warmUp++) {
                nanosPerCall(clocks);
                nanosPerCall(leadership::isValid);
            }
            double floor = nanosPerCall(clocks);
            double cost = nanosPerCall(leadership::isValid);
            out.printf(Locale.ROOT, "isValid()                          %,12.1f ns%n", cost);
            out.printf(Locale.ROOT, "reading both clocks (floor)        %,12.1f ns%n", floor);
            out.printf(Locale.ROOT, "ratio                              %,12.2f%n", cost / floor);
            candidacy.close();
        }
    }

    private static double nanosPerCall(BooleanSupplier call) {
        int trues = 0;
        long beganNanos = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            trues += call.getAsBoolean() ? 1 : 0;
        }
        long tookNanos = System.nanoTime() - beganNanos;
        if (trues != CALLS) {
            throw new IllegalStateException("the term ended while it was measured");
        }
        return (double) tookNanos / CALLS;
    }
}
