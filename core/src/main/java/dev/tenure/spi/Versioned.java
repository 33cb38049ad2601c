// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * A record as it was read.
 *
 * @param version opaque; two writes never have the same one, not even after a deletion. Empty if there is no record.
 * @param life for a record with a time to live, as the store judges it by its own time: what is left of it, zero if it has
 *     expired. Empty if the store does not judge, or cannot judge this very record.
 * @param clockMillis the store's clock; only used to let tokens grow
 */
public record Versioned(String key, Optional<String> version, String value, Optional<Duration> life, long clockMillis) {
    /** There is no record under this key. */
    public static Versioned absent(String key, long clockMillis) {
        return new Versioned(key, Optional.empty(), "", Optional.empty(), clockMillis);
    }

    /** Is there a record? */
    public boolean isPresent() {
        return version.isPresent();
    }

    /** Has the store judged, by its own time, that the record has expired? */
    public boolean hasExpired() {
        return life.isPresent() && life.get().isZero();
    }
}
