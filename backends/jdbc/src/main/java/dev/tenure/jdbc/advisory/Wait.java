package dev.tenure.jdbc.advisory;

import dev.tenure.spi.BackendException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One stay inside the server's queue for a lock, on a thread that does nothing else. */
final class Wait {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** As long as a statement runs, VACUUM keeps what it could see: after this time it begins anew. */
    private static final long SLICE_MILLIS = 300_000;

    /** How it ended. */
    sealed interface Outcome {
        record Stopped() implements Outcome {}

        record Broken() implements Outcome {}

        /** The line that was waited for is gone. */
        record Ended(long lineKey) implements Outcome {}

        record Judged(Verdict verdict) implements Outcome {}
    }

    /** How a line is made when there is none. Blocks. */
    interface Opening {
        Line open() throws SQLException;
    }

    private final Aim aim;
    private final Claims claims;
    private final Member me;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private Optional<Line> line;
    private boolean stopped;

    /** @param line one that has no election, if there is one */
    Wait(Aim aim, Optional<Line> line, Claims claims, Member me) {
        this.aim = aim;
        this.line = line;
        this.claims = claims;
        this.me = me;
    }

    Aim aim() {
        return aim;
    }

    /** Completed on the loop, after what it brought was heard. */
    CompletableFuture<Void> over() {
        return over;
    }

    synchronized Optional<Line> line() {
        return line.filter(known -> !known.isEnded());
    }

    /** From now on it does not begin anew; what runs has to be cancelled. */
    synchronized void stop() {
        stopped = true;
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    private synchronized void use(Line made) {
        line = Optional.of(made);
    }

    Outcome run(Opening opening) {
        try {
            if (line().isEmpty()) {
                use(opening.open());
            }
            Line used = line().orElseThrow();
            used.now(connection -> patient(connection, me));
            return used.now(connection -> stay(used, connection));
        } catch (SQLException | BackendException failure) {
            LOG.log(Level.DEBUG, "not waiting for a lock for a moment, only asking", failure);
            line().ifPresent(broken -> broken.end("it could not wait"));
            return new Outcome.Broken();
        }
    }

    private static boolean patient(Connection connection, Member me) throws SQLException {
        connection.setNetworkTimeout(
                Runnable::run, Math.toIntExact(SLICE_MILLIS + me.ttl().toMillis()));
        Switchboard.set(connection, Map.of("lock_timeout", Long.toString(SLICE_MILLIS)));
        return true;
    }

    private Outcome stay(Line used, Connection connection) throws SQLException {
        while (!isStopped()) {
            try {
                if (aim instanceof Aim.Turn turn) {
                    Verdict verdict = claims.await(used, connection, me, turn.request());
                    used.answersWithin(me.ttl());
                    return new Outcome.Judged(verdict);
                }
                long key = ((Aim.End) aim).lineKey();
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SELECT pg_advisory_lock_shared(" + key + ")");
                    statement.execute("SELECT pg_advisory_unlock_shared(" + key + ")");
                }
                return new Outcome.Ended(key);
            } catch (SQLException failure) {
                if (!Statements.isLockTimeout(failure) && !Statements.isCancelled(failure)) {
                    throw failure;
                }
            }
        }
        return new Outcome.Stopped();
    }
}
