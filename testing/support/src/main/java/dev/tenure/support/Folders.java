package dev.tenure.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary folders. */
public final class Folders {
    private Folders() {}

    public static Path temporary(String name) {
        try {
            return Files.createTempDirectory("tenure-" + name + "-");
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
