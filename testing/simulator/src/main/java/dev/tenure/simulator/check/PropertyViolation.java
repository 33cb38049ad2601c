// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

/** A property that did not hold. */
public record PropertyViolation(String property, long atNanos, String message) {
    private static final long NANOS_PER_MILLI = 1_000_000;

    @Override
    public String toString() {
        return property + " at " + atNanos / NANOS_PER_MILLI + " ms: " + message;
    }
}
