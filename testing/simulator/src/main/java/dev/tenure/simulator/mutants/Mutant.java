// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

/**
 * A planted bug: one place in one source file says something else.
 *
 * @param name what the bug is called
 * @param file relative to the root of the repository
 * @param original stands there exactly once
 * @param replacement stands there instead
 */
public record Mutant(String name, String file, String original, String replacement) {
    private static final String CORE = "core/src/main/java/dev/tenure/internal/";
    private static final String MODELS = "testing/simulator/src/main/java/dev/tenure/simulator/store/";
    private static final String TEST_KIT = "testing/test-kit/src/main/java/dev/tenure/testing/";

    static Mutant inCore(String name, String file, String original, String replacement) {
        return new Mutant(name, CORE + file, original, replacement);
    }

    static Mutant inTestKit(String name, String file, String original, String replacement) {
        return new Mutant(name, TEST_KIT + file, original, replacement);
    }

    static Mutant inModel(String name, String file, String original, String replacement) {
        return new Mutant(name, MODELS + file, original, replacement);
    }

    /** @throws IllegalStateException if the original is not there exactly once: then the mutant is out of date */
    String applyTo(String source) {
        int first = source.indexOf(original);
        if (first < 0) {
            throw new IllegalStateException(
                    "mutant '" + name + "' is out of date: " + file + " does not contain:\n" + original);
        }
        if (source.indexOf(original, first + 1) >= 0) {
            throw new IllegalStateException(
                    "mutant '" + name + "' is ambiguous: " + file + " contains more than once:\n" + original);
        }
        return source.replace(original, replacement);
    }

    @Override
    public String toString() {
        return name;
    }
}
