package dev.tenure.local;

import java.time.Duration;
import java.util.Optional;

/**
 * A moment on the clock of this machine, and how much of its time to live a record has left. The rule that matters: never too
 * little. A session that is buried early means two leaders; one that is buried late costs a moment without any.
 *
 * <p>So a write is stamped with the clock's reading plus its resolution, which lies at or after the true time of the
 * write, which in turn lies after the moment from which the writer counts its own deadline. A reader takes the clock
 * before it reads the record, rounded down. What lies between the two is at most what has really passed.
 *
 * @param bootId another one means that the machine was started anew since, and that every process of then is dead
 * @param timeNamespace a container may have its own; two of them count from different origins
 * @param uptimeMillis since the boot, also while the machine was suspended
 */
record Stamp(String bootId, String timeNamespace, long uptimeMillis) {
    // A stamp can lie ahead of a reading by the resolution of the clock; further ahead it cannot be true.
    private static final long AHEAD_MILLIS_MAX = 1000;

    /** Of a write that begins at this reading of the clock. */
    Stamp ofWrite() {
        return new Stamp(bootId, timeNamespace, uptimeMillis + MachineClock.RESOLUTION_MILLIS);
    }

    /** Empty if this clock cannot tell: then observers must. */
    static Optional<Duration> lifeLeft(RecordFile record, Optional<Stamp> now) {
        if (record.timeToLive().isEmpty() || record.written().isEmpty() || now.isEmpty()) {
            return Optional.empty();
        }
        Stamp written = record.written().get();
        if (!written.bootId().equals(now.get().bootId())) {
            return Optional.of(Duration.ZERO);
        }
        long elapsedMillis = now.get().uptimeMillis() - written.uptimeMillis();
        if (!written.timeNamespace().equals(now.get().timeNamespace()) || elapsedMillis < -AHEAD_MILLIS_MAX) {
            return Optional.empty();
        }
        Duration left = record.timeToLive().get().minusMillis(Math.max(0, elapsedMillis));
        return Optional.of(left.isNegative() ? Duration.ZERO : left);
    }
}
