package dev.tenure.local;

import java.io.IOException;
import java.util.Optional;

/**
 * The one clock that all processes of a machine share, where there is one. With it a challenger need not watch a silent
 * session for a whole TTL. Without it the store does not judge expiry, and the observers in core do.
 */
interface MachineClock {
    /** Rounded down to the clock's resolution. Empty if there is no such clock here. */
    Optional<Stamp> now() throws IOException;

    /** Empty if nothing here tells one boot from the next. May be known where {@link #now()} is not. */
    Optional<String> bootId();

    /** How far {@link #now()} may lie behind the true time. */
    long resolutionMillis();

    /** For machines without {@code /proc}. */
    static MachineClock none() {
        return new MachineClock() {
            @Override
            public Optional<Stamp> now() {
                return Optional.empty();
            }

            @Override
            public Optional<String> bootId() {
                return Optional.empty();
            }

            @Override
            public long resolutionMillis() {
                return 0;
            }
        };
    }
}
