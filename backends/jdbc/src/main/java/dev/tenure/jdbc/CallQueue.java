package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
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

    /** How the calls of a line stand to each other and to those of other lines. */
    enum Manner {
        /** They overtake all others. */
        URGENT,
        /** They change something, so that two about the same are not carried out together. */
        CHANGING,
        /** They change nothing: what many ask for is looked up once. */
        LOOKING
    }

    /** Carries out some calls at once. What it does not complete by itself fails with what it throws. */
    interface Answering<Q, R> {
        void answer(List<Asked<Q, R>> asked);
    }

    /** One call, which is its own reply. */
    static final class Asked<Q, R> extends CompletableFuture<R> {
        private final String key;
        private final Q question;
        private final long arrival;

        private Asked(String key, Q question, long arrival) {
            this.key = key;
            this.question = question;
            this.arrival = arrival;
        }

        Q question() {
            return question;
        }
    }

    /** Calls of one kind, in the order of their arrival. Guarded by the queue's monitor. */
    final class Line<Q, R> {
        private final Manner manner;
        private final IntSupplier most;
        private final Answering<Q, R> answering;
        private final Deque<Asked<Q, R>> waiting = new ArrayDeque<>();
        /** While some are carried out together, others gather, to be carried out together next. */
        private boolean busy;

        private Line(Manner manner, IntSupplier most, Answering<Q, R> answering) {
            this.manner = manner;
            this.most = most;
            this.answering = answering;
        }

        /** @param key what it is about */
        CompletionStage<R> ask(String key, Q question) {
            Asked<Q, R> asked;
            synchronized (CallQueue.this) {
                asked = new Asked<>(key, question, arrivals++);
                if (closed) {
                    asked.completeExceptionally(Trouble.closed());
                    return asked;
                }
                if (waiting.size() >= PENDING_MAX) {
                    asked.completeExceptionally(new BackendException(
                            Effect.NONE,
                            Kind.UNREACHABLE,
                            PENDING_MAX + " calls are waiting already: the database is too slow"));
                    return asked;
                }
                waiting.add(asked);
                if (workers == AT_ONCE_MAX) {
                    return asked;
                }
                workers++;
            }
            start();
            return asked;
        }

        private boolean isBefore(Line<?, ?> other) {
            boolean urgent = manner == Manner.URGENT;
            return urgent == (other.manner == Manner.URGENT)
                    ? waiting.element().arrival < other.waiting.element().arrival
                    : urgent;
        }

        private Runnable takeTogether() {
            int limit = most.getAsInt();
            busy = limit > 1;
            List<Asked<Q, R>> taken = new ArrayList<>();
            Set<String> keys = new HashSet<>();
            while (!waiting.isEmpty()
                    && taken.size() < limit
                    && (keys.add(waiting.element().key) || manner == Manner.LOOKING)) {
                taken.add(waiting.remove());
            }
            return () -> answer(taken);
        }

        // Whatever it is goes to the callers, who must not wait for ever; and the calls behind it are not to blame.
        private void answer(List<Asked<Q, R>> taken) {
            try {
                answering.answer(taken);
            } catch (RuntimeException | Error failure) {
                taken.forEach(asked -> asked.completeExceptionally(failure));
            } finally {
                synchronized (CallQueue.this) {
                    busy = false;
                }
            }
        }
    }

    /** Calls that are carried out one by one. */
    <Q, R> Line<Q, R> singly(Manner manner, Function<Q, R> answer) {
        return together(manner, () -> 1, asked -> asked.forEach(one -> one.complete(answer.apply(one.question()))));
    }

    /** @param most how many may be carried out together now */
    synchronized <Q, R> Line<Q, R> together(Manner manner, IntSupplier most, Answering<Q, R> answering) {
        Line<Q, R> line = new Line<>(manner, most, answering);
        lines.add(line);
        return line;
    }

    /** Calls that have not begun fail, without effect. */
    void close() {
        List<Asked<?, ?>> left = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (Line<?, ?> line : lines) {
                left.addAll(line.waiting);
                line.waiting.clear();
            }
        }
        left.forEach(asked -> asked.completeExceptionally(Trouble.closed()));
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

    private synchronized @Nullable Runnable next() {
        Line<?, ?> first = null;
        for (Line<?, ?> line : lines) {
            if (!line.busy && !line.waiting.isEmpty() && (first == null || line.isBefore(first))) {
                first = line;
            }
        }
        if (first == null) {
            workers--;
            return null;
        }
        return first.takeTogether();
    }
}
