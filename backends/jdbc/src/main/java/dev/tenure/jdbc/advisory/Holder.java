package dev.tenure.jdbc.advisory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The connection that has a lock which somebody waits for, as the server shows it to this user.
 *
 * @param term empty if it does not lead the election of the lock
 */
record Holder(Shown shown, Optional<Term> term) {
    /** @param since tells it apart from a later one whose process has the same number */
    record Shown(int pid, String since, String application, String user, String address) {}

    /**
     * Of one that leads.
     *
     * @param sign empty if the server does not show it, or it is busy
     */
    record Term(String node, Duration ttl, Visibility visibility, Optional<Sign> sign) {}

    /** May this user see what the connection does? */
    enum Visibility {
        SHOWN,
        HIDDEN
    }

    /**
     * The last sign of life of a connection that is idle. Times are the server's, and only compared for being the same: any
     * other one is life, also one that is earlier.
     */
    record Sign(int pid, long beganMicros, long spokeMicros) {}

    /** @param rows of {@link Statements#holders} */
    static Holder of(ResultSet rows) throws SQLException {
        Shown shown = new Shown(
                rows.getInt("pid"),
                shown(rows.getString("backend_start")),
                shown(rows.getString("application_name")),
                shown(rows.getString("usename")),
                shown(rows.getString("client_addr")));
        String node = rows.getString("holder");
        return new Holder(shown, node == null ? Optional.empty() : Optional.of(term(node, rows)));
    }

    private static Term term(String node, ResultSet rows) throws SQLException {
        Duration ttl = Duration.ofMillis(rows.getLong("ttl_millis"));
        Visibility visibility = rows.getBoolean("visible") ? Visibility.SHOWN : Visibility.HIDDEN;
        boolean idle = rows.getBoolean("idle");
        Optional<Sign> sign = visibility == Visibility.SHOWN && idle
                ? Optional.of(new Sign(rows.getInt("pid"), rows.getLong("began"), rows.getLong("spoke")))
                : Optional.empty();
        return new Term(node, ttl, visibility, sign);
    }

    private static String shown(@Nullable String value) {
        return value == null || value.isBlank() ? "not shown" : value;
    }
}
