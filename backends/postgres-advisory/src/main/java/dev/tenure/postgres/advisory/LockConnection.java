package dev.tenure.postgres.advisory;

import dev.tenure.spi.Host;
import dev.tenure.spi.support.BlockingCalls;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.postgresql.PGConnection;

/**
 * One physical connection, the server's process at its end, and the locks that this process has. Statements go one after the
 * other, and never many wait: claims and releases are sent in one batch at a time, so that a renewal is not late. A connection
 * on which something went wrong is never used again: nobody knows which locks it has. Any thread.
 */
final class LockConnection {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final Connection connection;
    private final Identity identity;
    private final Host host;
    private final AdvisoryErrors errors;
    private final BlockingCalls calls;
    private Consumer<String> endListener = why -> {};
    /** By the encoded name of the election. Touched by whoever has the connection, one after the other. */
    private final Map<String, Holding> holdings = new HashMap<>();

    private boolean ended;

    /**
     * @param pid the server's process
     * @param startMicros when that began: a number of a process comes back
     * @param key the lock that this connection has for itself, so that others can wait for its end
     */
    record Identity(int pid, long startMicros, long key) {}

    /** A lock that the connection has, and the term that goes with it. */
    record Holding(long lockKey, long token, long nonceHigh, long nonceLow) {
        long mark() {
            return token ^ nonceHigh ^ nonceLow;
        }
    }

    /** Something to be said to the server. */
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    LockConnection(Connection connection, Identity identity, Host host, AdvisoryErrors errors) {
        this.connection = connection;
        this.identity = identity;
        this.host = host;
        this.errors = errors;
        this.calls = new BlockingCalls(host.io(), 1);
    }

    Identity identity() {
        return identity;
    }

    Map<String, Holding> holdings() {
        return holdings;
    }

    /** Behind what was asked for before. Completes on the loop. */
    <T> CompletableFuture<T> run(Work<T> work) {
        CompletableFuture<T> call = calls.call(() -> {
            try {
                return now(work);
            } catch (SQLException failure) {
                throw errors.maybeAfterEffect(failure);
            }
        });
        return call.whenCompleteAsync((reply, failure) -> {}, host::post);
    }

    /** On this thread, by whoever is alone with the connection. */
    <T> T now(Work<T> work) throws SQLException {
        if (isEnded()) {
            throw AdvisoryErrors.over();
        }
        try {
            return work.on(connection);
        } catch (SQLException failure) {
            if (!errors.isWithoutEffect(failure) && !AdvisoryErrors.is(AdvisoryErrors.CANCELLED, failure)) {
                end("its connection is gone: "
                        + errors.maybeAfterEffect(failure).getMessage());
            }
            throw failure;
        }
    }

    /** Told once, at its end, on any thread; at once if it has ended already. */
    synchronized void whenEnded(Consumer<String> listener) {
        if (ended) {
            listener.accept(AdvisoryErrors.SESSION_OVER);
        } else {
            endListener = listener;
        }
    }

    synchronized boolean isEnded() {
        return ended;
    }

    /** Breaks what is said on it, if something is. Waits for the server. */
    void cancel() {
        try {
            connection.unwrap(PGConnection.class).cancelQuery();
        } catch (SQLException failure) {
            LOG.log(Level.DEBUG, "a wait could not be cancelled", failure);
        }
    }

    void end(String why) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        // Told first: who waits at the server for the end of this connection hears of it too, but not why.
        endListener.accept(why);
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            LOG.log(Level.DEBUG, "a connection could not be closed", gone);
        }
        calls.close();
    }
}
