package dev.tenure.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Sets {@code expected.key()} if it still has the expected version (which may be: no record).
 *
 * @param timeToLive for session records; a store that judges expiry starts it anew with this write
 * @param issues the token that this write issues, or 0: it must be durable before the write is acknowledged
 * @param word what hints of this write may tell everybody who listens, or nothing; without secrets
 * @param beside the keys of other records that the reply is to show as they stand at the very moment at which this write is
 *     applied; a store that cannot do both in one step leaves them out, and is asked for them afterwards
 */
public record Write(
        Versioned expected,
        String value,
        Optional<Duration> timeToLive,
        long issues,
        String word,
        List<String> beside) {
    public Write {
        beside = List.copyOf(beside);
    }

    /** A write that is about one record. */
    public Write(Versioned expected, String value, Optional<Duration> timeToLive, long issues) {
        this(expected, value, timeToLive, issues, "", List.of());
    }

    public String key() {
        return expected.key();
    }
}
