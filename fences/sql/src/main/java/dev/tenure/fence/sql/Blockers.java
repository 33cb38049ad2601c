package dev.tenure.fence.sql;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The transactions on PostgreSQL that have taken a fence and keep a raise waiting. A process that was stopped in the middle of a
 * message, or a statement that runs for an hour, is not idle, so that no time limit ends it.
 */
final class Blockers {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final Connection connection;
    private final String resource;
    private final List<Blocker> found;

    /**
     * @param pid of the server's process; empty for a prepared transaction, which has none
     * @param millis how long its transaction has been open; empty if this user may not see that
     */
    private record Blocker(String pid, String user, String application, String state, String millis) {
        @Override
        public String toString() {
            return pid.isEmpty()
                    ? "a prepared transaction (pg_prepared_xacts shows it)"
                    : "pid " + pid + " (user " + user + ", application '" + application + "'"
                            + (millis.isEmpty() ? "" : ", " + state + ", its transaction is open for " + millis + " ms")
                            + ")";
        }
    }

    private Blockers(Connection connection, String resource, List<Blocker> found) {
        this.connection = connection;
        this.resource = resource;
        this.found = found;
    }

    /** @param connection with autocommit */
    static Blockers of(Connection connection, Dialect dialect, String table, String resource) throws SQLException {
        if (dialect != Dialect.POSTGRESQL) {
            return new Blockers(connection, resource, List.of());
        }
        String key = Integer.toUnsignedString(Presentation.key(resource));
        List<List<String>> rows = Sql.rows(
                connection,
                "SELECT l.pid, a.usename, a.application_name, a.state,"
                        + " floor(extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint"
                        + " FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid"
                        + " WHERE l.locktype = 'advisory' AND l.granted AND l.mode = 'ShareLock'"
                        + " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                        + " AND l.classid = CAST('" + table + "' AS regclass) AND l.objid = CAST('" + key + "' AS oid)"
                        + " AND l.objsubid = 2 ORDER BY 1");
        List<Blocker> found = rows.stream()
                .map(row -> new Blocker(row.get(0), row.get(1), row.get(2), row.get(3), row.get(4)))
                .toList();
        return new Blockers(connection, resource, found);
    }

    /**
     * Ends those that have been open for so long. A newer term cannot be hit: it was not there when the raise looked last, just
     * before, and its transactions would be younger.
     *
     * @return whether all of them were ended, and there were any
     */
    boolean end(long openMillis) {
        boolean all = !found.isEmpty();
        for (Blocker each : found) {
            all &= !each.millis.isEmpty() && Long.parseLong(each.millis) >= openMillis && end(each);
        }
        return all;
    }

    private boolean end(Blocker blocker) {
        try {
            Sql.rows(connection, "SELECT pg_terminate_backend(CAST(? AS integer))", blocker.pid);
            LOG.log(
                    Level.WARNING,
                    "ended {0}: it held the fence of {1} and kept a newer term waiting",
                    blocker,
                    resource);
            return true;
        } catch (SQLException notAllowed) {
            LOG.log(Level.DEBUG, "a transaction of an older term could not be ended", notAllowed);
            return false;
        }
    }

    /** For messages; empty if nothing is known. */
    @Override
    public String toString() {
        return String.join(", ", found.stream().map(Blocker::toString).toList());
    }
}
