// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.DataSource;

/** Where connections come from, for one call each. Called by the threads for blocking clients. */
interface Connections extends AutoCloseable {
    Logger LOG = System.getLogger("dev.tenure");

    /** With autocommit, and with a limit on how long an answer is waited for. */
    Connection take() throws SQLException;

    /** After a call that was answered. */
    void giveBack(Connection connection);

    /** After a call that was not. A pool finds out by itself what is broken; what is not must still go back as it came. */
    default void drop(Connection connection) {
        giveBack(connection);
    }

    /** A pool is the user's. */
    @Override
    default void close() {}

    /** How long answers are waited for. Where a driver cannot, its own settings have to do. */
    static void limit(Connection connection, int timeoutMillis) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, timeoutMillis);
        } catch (SQLFeatureNotSupportedException | AbstractMethodError unable) {
            return;
        }
    }

    static void end(Connection connection) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException gone) { // of a pool: what was answered by then stands
            LOG.log(Level.DEBUG, "a connection could not be closed", gone);
        }
    }

    /** As many physical connections as calls run at once, kept open. */
    final class Dedicated implements Connections {
        private final NotificationListener.Opening opening;
        private final int timeoutMillis;
        private final Dialect dialect;
        private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
        private volatile boolean closed;

        Dedicated(NotificationListener.Opening opening, Duration timeout, Dialect dialect) {
            this.opening = opening;
            this.timeoutMillis = Math.toIntExact(timeout.toMillis());
            this.dialect = dialect;
        }

        @Override
        public Connection take() throws SQLException {
            Connection kept = idle.poll();
            if (kept != null) {
                return kept;
            }
            Connection fresh = opening.open();
            try {
                fresh.setAutoCommit(true);
                limit(fresh, timeoutMillis);
                dialect.settle(fresh);
                return fresh;
            } catch (SQLException | RuntimeException failure) {
                end(fresh);
                throw failure;
            }
        }

        @Override
        public void giveBack(Connection connection) {
            idle.push(connection);
            if (closed) {
                endIdle();
            }
        }

        /** Those that are idle are not to be trusted either. */
        @Override
        public void drop(Connection connection) {
            end(connection);
            endIdle();
        }

        /** Those in use end when they are given back. */
        @Override
        public void close() {
            closed = true;
            endIdle();
        }

        private void endIdle() {
            for (Connection one = idle.poll(); one != null; one = idle.poll()) {
                end(one);
            }
        }
    }

    /** Connections of the user's own pool, each for one call, and given back as they came. */
    final class Pooled implements Connections {
        private final DataSource source;
        private final int timeoutMillis;
        private final Map<Connection, Before> borrowed = Collections.synchronizedMap(new IdentityHashMap<>());

        /** How a connection was when it came. */
        private record Before(boolean autoCommit, int timeoutMillis) {}

        Pooled(DataSource source, Duration timeout) {
            this.source = source;
            this.timeoutMillis = Math.toIntExact(timeout.toMillis());
        }

        @Override
        public Connection take() throws SQLException {
            Connection connection = source.getConnection();
            try {
                Before before = new Before(connection.getAutoCommit(), limitOf(connection));
                limit(connection, timeoutMillis); // first: on some databases the next line is a statement
                if (!before.autoCommit) {
                    connection.setAutoCommit(true);
                }
                borrowed.put(connection, before);
                return connection;
            } catch (SQLException | RuntimeException failure) {
                end(connection);
                throw failure;
            }
        }

        @Override
        public void giveBack(Connection connection) {
            Before before = borrowed.remove(connection);
            try {
                if (before != null) {
                    if (!before.autoCommit) {
                        connection.setAutoCommit(false);
                    }
                    limit(connection, before.timeoutMillis);
                }
            } catch (SQLException | RuntimeException broken) {
                LOG.log(Level.DEBUG, "a connection could not be put back as it was", broken);
            } finally {
                end(connection);
            }
        }

        private static int limitOf(Connection connection) throws SQLException {
            try {
                return connection.getNetworkTimeout();
            } catch (SQLFeatureNotSupportedException | AbstractMethodError unable) {
                return 0;
            }
        }
    }

    /**
     * Tells when a physical connection is used for the first time. At its end may be another server than before: a standby that
     * was promoted and lacks the last writes, of which no error tells, because a pool replaces what has broken by itself.
     */
    final class ReconnectDetector {
        private final Host host;
        private final long pauseNanos;
        private final Runnable listener;
        private final Set<Connection> known = Collections.newSetFromMap(new WeakHashMap<>());
        private boolean armed;
        private long reportedNanos;

        /** @param pause between two hints: a source that does not pool has a new connection for every call, also for a check */
        ReconnectDetector(Host host, Duration pause, Runnable tell) {
            this.host = host;
            this.pauseNanos = pause.toNanos();
            this.listener = tell;
            this.reportedNanos = host.nanos() - pauseNanos;
        }

        void taken(Connection connection) {
            if (isToBeReported(physical(connection))) {
                listener.run();
            }
        }

        /** Too early after the last time, it is told later. */
        private synchronized boolean isToBeReported(Connection physical) {
            if (!known.add(physical) || armed) {
                return false;
            }
            long nowNanos = host.nanos();
            long dueNanos = reportedNanos + pauseNanos;
            if (nowNanos - dueNanos >= 0) {
                reportedNanos = nowNanos;
                return true;
            }
            armed = true;
            host.post(() -> host.wakeAt(dueNanos, this::reportLater));
            return false;
        }

        private void reportLater() {
            synchronized (this) {
                armed = false;
                reportedNanos = host.nanos();
            }
            listener.run();
        }

        private static Connection physical(Connection connection) {
            try {
                return connection.unwrap(Connection.class);
            } catch (SQLException opaque) {
                return connection; // of a pool that does not show its own
            }
        }
    }
}
