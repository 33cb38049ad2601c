// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.check;

import dev.tenure.lab.Experiment;

/** A property that did not hold. */
public record Violation(Experiment experiment, String property, String message) {
    @Override
    public String toString() {
        return "seed " + experiment.seed() + ": " + property + ": " + message;
    }
}
