// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.mutants;

import dev.tenure.algorithms.Algorithm;

/**
 * A planted bug: one place in one source file says something else.
 *
 * @param file below the sources of the algorithms
 * @param original stands there exactly once
 */
record Mutant(String name, Algorithm algorithm, String file, String original, String replacement) {
    String applyTo(String source) {
        int first = source.indexOf(original);
        if (first < 0 || source.indexOf(original, first + 1) >= 0) {
            throw new IllegalStateException("mutant '" + name + "' is out of date: not exactly once in " + file);
        }
        return source.replace(original, replacement);
    }

    @Override
    public String toString() {
        return name;
    }
}
