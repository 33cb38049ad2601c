// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary folders: where the JVM has them, or in {@code -Dtenure.test.folders}, such as a file system in memory. */
public final class Folders {
    private static final Path ALL =
            Path.of(System.getProperty("tenure.test.folders", System.getProperty("java.io.tmpdir")));

    private Folders() {}

    public static Path temporary(String name) {
        try {
            return Files.createTempDirectory(ALL, "tenure-" + name + "-");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** With all that is in it. */
    public static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
