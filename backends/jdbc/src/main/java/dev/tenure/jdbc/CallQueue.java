package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls on their way to a connection: as many at once as there are connections, renewals first. Thousands of claims that
 * wait must not let the one renewal come too late that carries all of them.
 *
 * <p>Calls of one kind stand in one {@link Line} and are carried out together, as many as wait when it is their turn.
 */
final class CallQueue {
    /** As many connections are used. */
    static final int AT_ONCE_MAX = 2;

    private static final int PENDING_MAX = 100_000;
    /** More in one statement would save little, and let a renewal wait too long. */
    static final int TOGETHER_MAX = 256;

    private final Executor executor;
    private final List<Line<?, ?>> lines = new ArrayList<>();
    private long arrivals;
    private int workers;
    private boolean closed;

    CallQueue(Executor executor) {
        this.executor = executor;
    }

    /** @param answering is given one call at a time */
    <Q, R> Line<Q, R> singly(Line.Manner manner, Line.Answering<Q, R> answering) {
        return together(manner, () -> 1, answering);
    }

    /** @param most how many may be carried out together now */
    synchronized <Q, R> Line<Q, R> together(Line.Manner manner, IntSupplier most, Line.Answering<Q, R> answering) {
        Line<Q, R> line = new Line<>(this, manner, most, answering);
        lines.add(line);
        return line;
    }

    <Q, R> CompletionStage<R> add(Line<Q, R> line, String key, Q question) {
        Line.Asked<Q, R> asked;
        synchronized (this) {
            asked = new Line.Asked<>(key, question, arrivals++);
            if (closed) {
                asked.fail(Trouble.closed());
                return asked.reply();
            }
            if (line.size() >= PENDING_MAX) {
                asked.fail(new BackendException(
                        Effect.NONE,
                        Kind.UNREACHABLE,
                        PENDING_MAX + " calls are waiting already: the database is too slow"));
                return asked.reply();
            }
            line.enqueue(asked);
            if (workers == AT_ONCE_MAX) {
                return asked.reply();
            }
            workers++;
        }
        start();
        return asked.reply();
    }

    /** Calls that have not begun fail, without effect. */
    void close() {
        List<Line.Asked<?, ?>> left = new ArrayList<>();
        synchronized (this) {
            closed = true;
            lines.forEach(line -> line.moveTo(left));
        }
        left.forEach(asked -> asked.fail(Trouble.closed()));
    }

    private void start() {
        try {
            executor.execute(this::work);
        } catch (RejectedExecutionException shutDown) {
            close();
        }
    }

    /** What is next, and then behind whatever else waits for a thread. */
    private void work() {
        Runnable next = next();
        if (next != null) {
            next.run();
            start();
        }
    }

    synchronized void carriedOut(Line<?, ?> line) {
        line.carriedOut();
    }

    private synchronized @Nullable Runnable next() {
        Line<?, ?> first = null;
        for (Line<?, ?> line : lines) {
            if (line.isReady() && (first == null || isBefore(line, first))) {
                first = line;
            }
        }
        if (first == null) {
            workers--;
            return null;
        }
        return first.takeTogether();
    }

    private static boolean isBefore(Line<?, ?> one, Line<?, ?> other) {
        return one.isUrgent() == other.isUrgent() ? one.oldestArrival() < other.oldestArrival() : one.isUrgent();
    }
}
