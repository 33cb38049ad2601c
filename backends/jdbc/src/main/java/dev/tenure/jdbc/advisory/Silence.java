package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.SessionEvents;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Ends the connection of a leader that has been silent for longer than its TTL, where the server does not: it counts {@code
 * idle_session_timeout} on its wall clock, and one that was set back by an hour under a paused leader would keep that for an
 * hour. Loop-confined.
 *
 * <p>A server process shows when it was last given something to do, or was done with it. Whatever a leader says changes that
 * before the answer leaves. So if a look shows the same as one whose answer was here {@code ttl * 1.1} ago, nothing that the
 * leader has said since was answered, and its deadline, which counts from before its last answered renewal was sent and is
 * shorter than the TTL, has passed. The statement that ends it compares once more. The times are only compared for being the
 * same, and how long that was so is counted here, on this process's monotonic clock.
 */
final class Silence {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final String FORBIDDEN = "42501";

    private final AdvisoryBackend.Store store;
    private final SessionEvents events;
    private final Supplier<Line> working;
    /** When each was here first; only of the last look, because one that was not seen has shown life. */
    private final Map<Holder.Sign, Long> sinceNanos = new HashMap<>();

    private final Set<Holder.Sign> told = new HashSet<>();
    private boolean blind;

    private enum Outcome {
        ENDED,
        /** It has shown life after all, or is gone. */
        NOT_SILENT,
        NOT_ALLOWED
    }

    /** @param working asked at each use: a line that was the session's a moment ago may wait for a lock by now */
    Silence(AdvisoryBackend.Store store, SessionEvents events, Supplier<Line> working) {
        this.store = store;
        this.events = events;
        this.working = working;
    }

    /** How long a sign has to stay the same: as long as the server gives, and what two clocks may differ by. */
    static long patienceNanos(Duration ttl) {
        return ttl.plus(ttl.dividedBy(10)).toNanos();
    }

    void found(Map<ElectionName, Holder> now, long receivedNanos) {
        Set<Holder.Sign> signs = new HashSet<>();
        now.forEach((election, holder) -> holder.term().ifPresent(term -> {
            if (term.visibility() == Holder.Visibility.HIDDEN) {
                tellThatItCannotSee(election, holder);
            }
            term.sign().filter(signs::add).ifPresent(sign -> weigh(election, term, sign, receivedNanos));
        }));
        sinceNanos.keySet().retainAll(signs);
        told.retainAll(signs);
    }

    private void weigh(ElectionName election, Holder.Term term, Holder.Sign sign, long receivedNanos) {
        long firstNanos = sinceNanos.computeIfAbsent(sign, unknown -> receivedNanos);
        if (receivedNanos - firstNanos < patienceNanos(term.ttl())) {
            return;
        }
        Aside.run(
                "ending a silent leader",
                store.onLoop(working.get().run(connection -> end(connection, sign)))
                        .thenAccept(outcome -> tell(outcome, election, term, sign)));
    }

    private Outcome end(Connection connection, Holder.Sign sign) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Statements.endSilent())) {
            statement.setInt(1, sign.pid());
            statement.setLong(2, sign.beganMicros());
            statement.setLong(3, sign.spokeMicros());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1) ? Outcome.ENDED : Outcome.NOT_SILENT;
            }
        } catch (SQLException failure) {
            if (FORBIDDEN.equals(failure.getSQLState())) {
                return Outcome.NOT_ALLOWED;
            }
            throw failure;
        }
    }

    private void tell(Outcome outcome, ElectionName election, Holder.Term term, Holder.Sign sign) {
        if (outcome == Outcome.ENDED) {
            LOG.log(
                    Level.WARNING,
                    () -> election + ": ended the connection of its leader " + term.node() + " (server process "
                            + sign.pid() + "), which has said nothing for longer than its TTL of " + term.ttl()
                            + "; the server should have: was its clock set back?");
        } else if (outcome == Outcome.NOT_ALLOWED && told.add(sign)) {
            events.stuck(
                    election,
                    "STUCK_HOLDER: the leader " + term.node() + " has said nothing for longer than its TTL of "
                            + term.ttl()
                            + ", the server has not ended its connection (was its clock set back?), and this user may not:"
                            + " SELECT pg_terminate_backend(" + sign.pid() + ") as another one, and let all candidates"
                            + " have the same role, or grant them pg_signal_backend");
        }
    }

    private void tellThatItCannotSee(ElectionName election, Holder holder) {
        if (!blind) {
            blind = true;
            LOG.log(
                    Level.INFO,
                    () -> election + ": the server does not show this user whether the connection of its leader (server"
                            + " process " + holder.shown().pid()
                            + ") is silent: another role, or track_activities is off."
                            + " Should the server's clock be set back while that leader is paused, nobody here can end"
                            + " it; let all candidates have the same role, or grant them pg_read_all_stats and"
                            + " pg_signal_backend");
        }
    }
}
