package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls on their way to a connection: as many at once as there are connections, renewals first. Thousands of claims that
 * wait must not let the one renewal come too late that carries all of them.
 */
final class CallQueue {
    /** As many connections are used. */
    static final int AT_ONCE_MAX = 2;

    private static final int PENDING_MAX = 100_000;

    private final Executor executor;
    private final Deque<Pending<?>> renewals = new ArrayDeque<>();
    private final Deque<Pending<?>> others = new ArrayDeque<>();
    private int workers;
    private boolean closed;

    private record Pending<T>(Supplier<T> call, CompletableFuture<T> reply) {
        // Whatever it is goes to the caller, who must not wait for ever; and the calls behind it are not to blame.
        void run() {
            try {
                reply.complete(call.get());
            } catch (RuntimeException | Error failure) {
                reply.completeExceptionally(failure);
            }
        }
    }

    CallQueue(Executor executor) {
        this.executor = executor;
    }

    <T> CompletionStage<T> addRenewal(Supplier<T> call) {
        return add(renewals, call);
    }

    <T> CompletionStage<T> add(Supplier<T> call) {
        return add(others, call);
    }

    private <T> CompletionStage<T> add(Deque<Pending<?>> queue, Supplier<T> call) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                reply.completeExceptionally(Trouble.closed());
                return reply;
            }
            if (queue.size() >= PENDING_MAX) {
                reply.completeExceptionally(new BackendException(
                        Effect.NONE,
                        Kind.UNREACHABLE,
                        PENDING_MAX + " calls are waiting already: the database is too slow"));
                return reply;
            }
            queue.add(new Pending<>(call, reply));
            if (workers == AT_ONCE_MAX) {
                return reply;
            }
            workers++;
        }
        start();
        return reply;
    }

    /** Calls that have not begun fail, without effect. */
    void close() {
        List<Pending<?>> left = new ArrayList<>();
        synchronized (this) {
            closed = true;
            left.addAll(renewals);
            left.addAll(others);
            renewals.clear();
            others.clear();
        }
        left.forEach(pending -> pending.reply.completeExceptionally(Trouble.closed()));
    }

    private void start() {
        try {
            executor.execute(this::work);
        } catch (RejectedExecutionException shutDown) {
            close();
        }
    }

    /** One call, and then behind whatever else waits for a thread. */
    private void work() {
        Pending<?> next = next();
        if (next != null) {
            next.run();
            start();
        }
    }

    private synchronized @Nullable Pending<?> next() {
        Pending<?> next = renewals.isEmpty() ? others.poll() : renewals.poll();
        if (next == null) {
            workers--;
        }
        return next;
    }
}
