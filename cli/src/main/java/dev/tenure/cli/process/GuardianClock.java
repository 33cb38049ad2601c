// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Puts instants of {@link System#nanoTime()} on a clock that the guardian reads too. Deadlines travel as absolute
 * values, since a sender that is stopped between "how much is left" and the write would otherwise grant itself the
 * pause.
 */
enum GuardianClock {
    /** Time since boot, suspension included: Linux. */
    BOOT {
        @Override
        long nowNanos() throws IOException {
            String uptime = Files.readString(Path.of("/proc/uptime"));
            return new BigDecimal(uptime.substring(0, uptime.indexOf(' ')))
                    .movePointRight(9)
                    .longValue();
        }
    },
    /** Time of day: platforms without {@code /proc/uptime}, for development only, since it can be set. */
    WALL {
        @Override
        long nowNanos() {
            return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        }
    };

    private static final long FOREVER_NANOS = TimeUnit.DAYS.toNanos(3650);

    abstract long nowNanos() throws IOException;

    static GuardianClock reported(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /**
     * The instant {@code nanoTime}, in seconds on this clock; early by a few milliseconds, never late.
     *
     * <p>Let this clock be read at instant a and {@code System.nanoTime()} at b. The result stands for {@code
     * nanoTime - (b - a)}. It is this clock that is read first, so b is not before a, and a pause in between, however
     * long, can only bring the deadline forward. Read the other way round, the same pause would put it off. Both
     * roundings ({@code /proc/uptime} to 10 ms, the result to 1 ms) are downwards.
     */
    String secondsAt(long nanoTime) throws IOException {
        long clockNanos = nowNanos();
        long remainingNanos = Math.min(nanoTime - System.nanoTime(), FOREVER_NANOS);
        long millis = Math.floorDiv(clockNanos + Math.max(remainingNanos, -clockNanos), 1_000_000L);
        return BigDecimal.valueOf(millis, 3).toPlainString();
    }
}
