package dev.tenure.local;

import java.io.IOException;
import java.util.Optional;

/**
 * The one clock that all processes of a machine share, where there is one. With it a challenger need not watch a silent
 * session for a whole TTL. Without it the store does not judge expiry, and the observers in core do.
 */
interface MachineClock {
    /** How far {@link #now()} may lie behind the true time. */
    long RESOLUTION_MILLIS = 10;

    /** Rounded down to the resolution. Empty if there is no such clock here. */
    Optional<Stamp> now() throws IOException;

    /** Empty if nothing here tells one boot from the next. May be known where {@link #now()} is not. */
    Optional<String> bootId();

    /** For machines without {@code /proc}. */
    static MachineClock none() {
        return new LinuxClock(Optional.empty(), Optional.empty(), "0");
    }
}
