package dev.tenure.zookeeper.wire;

import java.time.Duration;
import java.util.function.LongSupplier;

/** When the two sides of a connection have last said something. Guarded by its wire. */
final class Pulse {
    private static final int SILENT_BEATS = 4;
    private static final int IDLE_BEATS = 2;

    private final LongSupplier clock;
    private long heardNanos;
    private long saidNanos;

    Pulse(LongSupplier clock) {
        this.clock = clock;
    }

    void heard() {
        heardNanos = clock.getAsLong();
    }

    void said() {
        saidNanos = clock.getAsLong();
    }

    /** Has the server said nothing for so long that it is to be left? */
    boolean isSilent(Duration beat) {
        return clock.getAsLong() - heardNanos > SILENT_BEATS * beat.toNanos();
    }

    /** Has this side said nothing for so long that the session may come to its end? */
    boolean isIdle(Duration beat) {
        return clock.getAsLong() - saidNanos > IDLE_BEATS * beat.toNanos();
    }
}
