// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import java.util.Locale;
import java.util.Map;

/** A property that did not hold in one seed. */
public record SeedViolation(long seed, String property, double atSeconds, String message)
        implements Comparable<SeedViolation> {
    Map<String, Object> data() {
        double micros = Math.round(atSeconds * 1e6) / 1e6;
        return Map.of("seed", seed, "property", property, "atSeconds", micros, "message", message);
    }

    @Override
    public int compareTo(SeedViolation other) {
        return Long.compare(seed, other.seed);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "seed %d: %s at %.3f s: %s", seed, property, atSeconds, message);
    }
}
