// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

/** A number and what it counts, for people: {@code 1 seed}, {@code 2 seeds}. */
public final class Count {
    private Count() {}

    /** @param noun in the singular, of those that take an s */
    public static String of(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
