package dev.tenure.local;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.WriteReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The writes of this process, one batch after another. What is pending when a batch begins is taken together, so that one
 * raise of the ceiling, with its wait for the disk, serves all of it.
 *
 * <p>At most one batch runs at a time: whoever brings the count of pending writes up from zero starts it, and a batch that
 * leaves some behind starts the next.
 */
final class WriteQueue {
    private static final int BATCH_MAX = 1000;
    private static final int PENDING_MAX = 100_000;

    /** One write, and the token it issues or 0. */
    interface Task {
        WriteReply run();

        long issues();
    }

    /** Called once per batch, before its first write. */
    interface Cover {
        void cover(long token);
    }

    private record Pending(Task task, CompletableFuture<WriteReply> reply) {}

    private final Executor executor;
    private final Cover ceiling;
    private final ConcurrentLinkedQueue<Pending> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();
    private volatile boolean closed;

    WriteQueue(Executor executor, Cover ceiling) {
        this.executor = executor;
        this.ceiling = ceiling;
    }

    CompletionStage<WriteReply> add(Task task) {
        CompletableFuture<WriteReply> reply = new CompletableFuture<>();
        if (closed) {
            reply.completeExceptionally(afterClose());
        } else if (pending.get() >= PENDING_MAX) {
            reply.completeExceptionally(unreachable(PENDING_MAX + " writes are waiting already: the disk is too slow"));
        } else {
            queue.add(new Pending(task, reply));
            if (pending.getAndIncrement() == 0) {
                start();
            }
        }
        return reply;
    }

    void close() {
        closed = true;
    }

    private void start() {
        try {
            executor.execute(this::runBatch);
        } catch (RejectedExecutionException shutDown) {
            close();
            runBatch();
        }
    }

    private void runBatch() {
        List<Pending> batch = new ArrayList<>();
        Pending next = queue.poll();
        while (next != null) {
            batch.add(next);
            next = batch.size() < BATCH_MAX ? queue.poll() : null;
        }
        @Nullable Throwable uncovered = cover(batch);
        for (Pending each : batch) {
            if (closed) {
                each.reply().completeExceptionally(afterClose());
            } else if (uncovered != null && each.task().issues() > 0) {
                each.reply().completeExceptionally(uncovered);
            } else {
                run(each);
            }
        }
        // What was added to the queue after the last poll has its increment done or still to come; both start a batch.
        if (pending.addAndGet(-batch.size()) > 0) {
            start();
        }
    }

    private @Nullable Throwable cover(List<Pending> batch) {
        long highest =
                batch.stream().mapToLong(each -> each.task().issues()).max().orElse(0);
        if (highest == 0 || closed) {
            return null;
        }
        try {
            ceiling.cover(highest);
            return null;
        } catch (RuntimeException | Error failure) {
            return failure;
        }
    }

    // Whatever it is goes to the caller, who must not wait for ever; and the writes behind it are not to blame.
    private static void run(Pending write) {
        try {
            write.reply().complete(write.task().run());
        } catch (RuntimeException | Error failure) {
            write.reply().completeExceptionally(failure);
        }
    }

    static BackendException afterClose() {
        return unreachable("this store is closed");
    }

    private static BackendException unreachable(String why) {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, why);
    }
}
