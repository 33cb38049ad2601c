package dev.tenure.jdbc;

import dev.tenure.spi.Host;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Tells when a physical connection is used for the first time. At its end may be another server than before: a standby that
 * was promoted and lacks the last writes, of which no error tells, because a pool replaces what has broken by itself.
 */
final class ReconnectDetector {

    private final Host host;
    private final long pauseNanos;
    private final Runnable tell;
    private final Set<Connection> known = Collections.newSetFromMap(new WeakHashMap<>());
    private boolean armed;
    private long toldNanos;

    /** @param pause between two hints: a source that does not pool has a new connection for every call, also for a check */
    ReconnectDetector(Host host, Duration pause, Runnable tell) {
        this.host = host;
        this.pauseNanos = pause.toNanos();
        this.tell = tell;
        this.toldNanos = host.nanos() - pauseNanos;
    }

    void taken(Connection connection) {
        if (isToBeTold(physical(connection))) {
            tell.run();
        }
    }

    /** Too early after the last time, it is told later. */
    private synchronized boolean isToBeTold(Connection physical) {
        if (!known.add(physical) || armed) {
            return false;
        }
        long nowNanos = host.nanos();
        long dueNanos = toldNanos + pauseNanos;
        if (nowNanos - dueNanos >= 0) {
            toldNanos = nowNanos;
            return true;
        }
        armed = true;
        host.post(() -> host.wakeAt(dueNanos, this::tellLater));
        return false;
    }

    private void tellLater() {
        synchronized (this) {
            armed = false;
            toldNanos = host.nanos();
        }
        tell.run();
    }

    private static Connection physical(Connection connection) {
        try {
            return connection.unwrap(Connection.class);
        } catch (SQLException opaque) {
            return connection; // of a pool that does not show its own
        }
    }
}
