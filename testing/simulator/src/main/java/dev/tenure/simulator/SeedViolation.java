package dev.tenure.simulator;

import java.util.Locale;

/** A property that did not hold in one seed. */
public record SeedViolation(long seed, String property, double atSeconds, String message)
        implements Comparable<SeedViolation> {
    @Override
    public int compareTo(SeedViolation other) {
        return Long.compare(seed, other.seed);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "seed %d: %s at %.3f s: %s", seed, property, atSeconds, message);
    }
}
