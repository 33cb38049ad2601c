// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Calls of a client that blocks, on {@link dev.tenure.spi.Host#io()}: in their order, some at once, and at most {@value
 * #WAITING_MAX} waiting. A call that is not begun, because too many wait or the store was closed, fails with {@link Effect#NONE}. Any
 * thread.
 */
public final class BlockingCalls {
    private static final int WAITING_MAX = 100_000;

    private final Executor io;
    private final int atOnceMax;
    private final Deque<Call<?>> waiting = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private int workers;
    private boolean closed;

    /** @param atOnceMax how many run at the same time; 1 keeps the order of their effects */
    public BlockingCalls(Executor io, int atOnceMax) {
        this.io = io;
        this.atOnceMax = atOnceMax;
    }

    private record Call<T>(Callable<T> work, CompletableFuture<T> reply) {
        /** Whatever it throws goes to the caller, which must not wait for ever; and the calls behind it are not to blame. */
        void run() {
            try {
                reply.complete(work.call());
            } catch (RuntimeException | Error failure) {
                reply.completeExceptionally(failure);
            } catch (Exception failure) {
                reply.completeExceptionally(BackendException.unknown(failure.toString(), failure));
            }
        }
    }

    /** An exception that is not a {@link RuntimeException} becomes a {@link BackendException} with an unknown effect. */
    public <T> CompletableFuture<T> call(Callable<T> work) {
        Call<T> call = new Call<>(work, new CompletableFuture<>());
        synchronized (this) {
            if (closed) {
                call.reply.completeExceptionally(closed());
                return call.reply;
            }
            if (waiting.size() >= WAITING_MAX) {
                call.reply.completeExceptionally(BackendException.unreachable(
                        WAITING_MAX + " calls are waiting already: the store is too slow"));
                return call.reply;
            }
            waiting.add(call);
            if (workers == atOnceMax) {
                return call.reply;
            }
            workers++;
        }
        try {
            io.execute(this::work);
        } catch (RejectedExecutionException shutDown) {
            synchronized (this) {
                workers--;
            }
            close();
        }
        return call.reply;
    }

    private void work() {
        for (Optional<Call<?>> next = next(); next.isPresent(); next = next()) {
            next.get().run();
        }
    }

    private Optional<Call<?>> next() {
        synchronized (this) {
            if (!waiting.isEmpty()) {
                return Optional.of(waiting.remove());
            }
            workers--;
            if (!closed || workers > 0) {
                return Optional.empty();
            }
        }
        ended.complete(null);
        return Optional.empty();
    }

    /** Calls that have begun go on. Calls that wait fail. */
    public void close() {
        List<Call<?>> left;
        boolean idle;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(waiting);
            waiting.clear();
            idle = workers == 0;
        }
        left.forEach(call -> call.reply.completeExceptionally(closed()));
        if (idle) {
            ended.complete(null);
        }
    }

    /**
     * Closes, and then frees what the calls have used, such as a connection.
     *
     * @param free runs when no call runs any more: on the thread of the last call, or on this one if none is under way. It runs
     *     once for each time that this method is called
     */
    public void close(Runnable free) {
        close();
        Stages.ignore("closing a store", ended.thenRun(free));
    }

    /** For calls that come too late. */
    public static BackendException closed() {
        return BackendException.unreachable("this store is closed");
    }
}
