// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import dev.tenure.simulator.Count;
import java.util.Locale;
import java.util.Optional;

/** What became of a mutant. */
public record MutantOutcome(Mutant mutant, Optional<Capture> capture) {
    /** @param seeds how many were run until it was found */
    public record Capture(long seeds, String property, String message) {}

    public boolean isFound() {
        return capture.isPresent();
    }

    @Override
    public String toString() {
        return capture.map(found -> String.format(
                        Locale.ROOT,
                        "%-48s found by %-6s after %11s  (%s)",
                        mutant.name(),
                        found.property,
                        Count.of(found.seeds, "seed"),
                        found.message))
                .orElseGet(() -> String.format(Locale.ROOT, "%-48s SURVIVED", mutant.name()));
    }
}
