// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * Sets {@code expected.key()} if it still has the expected version (which may be: no record).
 *
 * @param timeToLive for session records; a store that judges expiry starts it anew with this write
 * @param issues the token that this write issues, or 0: it must be durable before the write is acknowledged
 */
public record Write(Versioned expected, String value, Optional<Duration> timeToLive, long issues) {
    /** The key of the record that is written. */
    public String key() {
        return expected.key();
    }
}
