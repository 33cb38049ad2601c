package dev.tenure.spi;

import java.util.Optional;

/**
 * A record may have changed.
 *
 * @param told the record with the version that a write gave it and, as its value, the {@link Write#word} of that write, if
 *     this was told. It proves nothing: it may be late, and whoever can notify may have made it up.
 */
public record Hint(String key, Optional<Versioned> told) {
    public static Hint of(String key) {
        return new Hint(key, Optional.empty());
    }
}
