package dev.tenure.jdbc.advisory;

import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * One physical connection, the server's process at its end, and the locks that this process has. Statements go one after the
 * other, renewals first. A line on which something went wrong is never used again: nobody knows which locks it has.
 */
final class Line {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final int PENDING_MAX = 100_000;

    private final Connection connection;
    private final Identity identity;
    private final Host host;
    private final Trouble trouble;
    private final Deque<Runnable> renewals = new ArrayDeque<>();
    private final Deque<Runnable> others = new ArrayDeque<>();
    private final List<Consumer<String>> mourners = new ArrayList<>();
    /** By the encoded name of the election. Touched by whoever has the connection, one after the other. */
    private final Map<String, Holding> holdings = new HashMap<>();
    /** By their text; they stay open as long as the line. */
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    /** Touched by whoever has the connection. */
    private Optional<Duration> patience = Optional.empty();

    private boolean working;
    private boolean ended;

    /**
     * @param pid the server's process
     * @param startMicros when that began: a number of a process comes back
     * @param key the lock that this line has for itself, so that others can wait for its end
     */
    record Identity(int pid, long startMicros, long key) {}

    /** A lock that the line has, and the term that goes with it. */
    record Holding(long lockKey, long token, long nonceHigh, long nonceLow) {
        long mark() {
            return token ^ nonceHigh ^ nonceLow;
        }
    }

    /** Something to be said to the server. */
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    Line(Connection connection, Identity identity, Host host, Trouble trouble) {
        this.connection = connection;
        this.identity = identity;
        this.host = host;
        this.trouble = trouble;
    }

    Identity identity() {
        return identity;
    }

    Map<String, Holding> holdings() {
        return holdings;
    }

    /** Of the few statements that a handover waits for: kept ready. Called by whoever has the connection. */
    PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement known = prepared.get(sql);
        if (known == null) {
            known = connection.prepareStatement(sql);
            prepared.put(sql, known);
        }
        return known;
    }

    /** From the next thing that is said on it: somebody may wait for what was heard just now. Called by whoever has the connection. */
    void answersWithin(Duration limit) {
        patience = Optional.of(limit);
    }

    <T> CompletableFuture<T> run(Work<T> work) {
        return add(others, work);
    }

    <T> CompletableFuture<T> runFirst(Work<T> work) {
        return add(renewals, work);
    }

    /** Finds out whether it is still there. */
    CompletableFuture<Boolean> probe() {
        return run(open -> {
            try (Statement statement = open.createStatement()) {
                return statement.execute("SELECT 1");
            }
        });
    }

    private <T> CompletableFuture<T> add(Deque<Runnable> queue, Work<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        synchronized (this) {
            if (ended || queue.size() >= PENDING_MAX) {
                answer.completeExceptionally(Trouble.over());
                return answer;
            }
            queue.add(() -> carryOut(work, answer));
            if (working) {
                return answer;
            }
            working = true;
        }
        host.io().execute(this::next);
        return answer;
    }

    // Whatever it is goes to the caller, who must not wait for ever.
    private <T> void carryOut(Work<T> work, CompletableFuture<T> answer) {
        if (isEnded()) {
            answer.completeExceptionally(Trouble.over());
            return;
        }
        try {
            answer.complete(now(work));
        } catch (SQLException failure) {
            answer.completeExceptionally(trouble.maybeAfterEffect(failure));
        } catch (RuntimeException | Error failure) {
            answer.completeExceptionally(failure);
        }
    }

    /** On this thread, by whoever is alone with the line. */
    <T> T now(Work<T> work) throws SQLException {
        try {
            limitPatience();
            return work.on(connection);
        } catch (SQLException failure) {
            if (!trouble.isRefusal(failure) && !Statements.isCancelled(failure)) {
                end("its connection is gone: "
                        + trouble.maybeAfterEffect(failure).getMessage());
            }
            throw failure;
        }
    }

    private void limitPatience() throws SQLException {
        if (patience.isPresent()) {
            connection.setNetworkTimeout(
                    Runnable::run, Math.toIntExact(patience.get().toMillis()));
            patience = Optional.empty();
        }
    }

    private void next() {
        Runnable work = poll();
        if (work != null) {
            work.run();
            host.io().execute(this::next);
        }
    }

    private synchronized @Nullable Runnable poll() {
        Runnable next = renewals.isEmpty() ? others.poll() : renewals.poll();
        working = next != null;
        return next;
    }

    /** Told once, at its end, on any thread; at once if it has ended already. */
    void whenEnded(Consumer<String> mourner) {
        synchronized (this) {
            if (!ended) {
                mourners.add(mourner);
                return;
            }
        }
        mourner.accept(Trouble.SESSION_OVER);
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
        List<Consumer<String>> toTell;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            toTell = List.copyOf(mourners);
            mourners.clear();
        }
        // Told first: who waits at the server for the end of this connection hears of it too, but not why.
        toTell.forEach(mourner -> mourner.accept(why));
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            LOG.log(Level.DEBUG, "a connection could not be closed", gone);
        }
    }
}
