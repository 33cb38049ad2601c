package dev.tenure.simulator.mutants;

import java.util.Locale;
import java.util.Optional;

/** What became of a mutant. */
public record Verdict(Mutant mutant, Optional<Capture> capture) {
    /** @param seeds how many were run until it was found */
    public record Capture(long seeds, String property, String message) {}

    public boolean isFound() {
        return capture.isPresent();
    }

    @Override
    public String toString() {
        return capture.map(found -> String.format(
                        Locale.ROOT,
                        "%-48s found by %-6s after %5d seeds  (%s)",
                        mutant.name(),
                        found.property,
                        found.seeds,
                        found.message))
                .orElseGet(() -> String.format(Locale.ROOT, "%-48s SURVIVED", mutant.name()));
    }
}
