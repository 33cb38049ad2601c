package dev.tenure.jdbc;

import dev.tenure.spi.Hint;
import dev.tenure.spi.Versioned;
import java.util.Optional;

/** The text of a notification: a key, and behind it perhaps the version and the word of the write that it tells of. */
final class Announcement {
    /** Not in a key and not in a version. */
    static final String SEPARATOR = "\n";

    private Announcement() {}

    static Hint read(String text) {
        String[] parts = text.split(SEPARATOR, 3);
        return parts.length == 3
                ? new Hint(
                        parts[0],
                        Optional.of(new Versioned(parts[0], Optional.of(parts[1]), parts[2], Optional.empty(), 0)))
                : Hint.of(parts[0]);
    }
}
