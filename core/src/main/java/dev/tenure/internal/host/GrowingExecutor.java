// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.host;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bounded executor that grows on demand. An idle thread takes the task; if there is none, a new thread does, up to the bound;
 * beyond the bound the task waits in line. Threads are daemons and end by themselves when idle.
 */
final class GrowingExecutor implements Executor {
    private static final int IDLE_SECONDS = 5;
    private static final long SILENT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Runnable whenFull;
    private final LinkedTransferQueue<Runnable> waiting = new OnlyToIdleThreads();
    private final ThreadPoolExecutor threads;
    private final AtomicLong silentUntilNanos = new AtomicLong(System.nanoTime());

    /** @param whenFull called when all threads are busy, at most once a minute; must not block */
    GrowingExecutor(String name, int threadsMax, Runnable whenFull) {
        this.whenFull = whenFull;
        AtomicInteger number = new AtomicInteger();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        threads = new ThreadPoolExecutor(
                0,
                threadsMax,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                waiting,
                task -> daemon(task, name + "-" + number.incrementAndGet(), loader),
                (task, pool) -> waitInLine(task));
    }

    /** A new thread inherits nothing: the thread that happens to need it first may be a user's. */
    private static Thread daemon(Runnable task, String name, ClassLoader loader) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setContextClassLoader(loader);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void execute(Runnable task) {
        Runnable guarded = () -> {
            EventLoop.runGuarded(task);
            Thread.interrupted(); // was meant for the task that is over
        };
        try {
            threads.execute(guarded);
        } catch (OutOfMemoryError noThread) {
            // The machine has no thread to give. The task is not lost: the next thread that is free takes it.
            waiting.put(guarded);
        }
    }

    private void waitInLine(Runnable task) {
        if (threads.isShutdown()) {
            return; // dropped
        }
        waiting.put(task);
        if (threads.getActiveCount() < threads.getMaximumPoolSize()) {
            return; // one of them is between two tasks, and takes this one
        }
        long nowNanos = System.nanoTime();
        long silentNanos = silentUntilNanos.get();
        if (nowNanos - silentNanos >= 0 && silentUntilNanos.compareAndSet(silentNanos, nowNanos + SILENT_NANOS)) {
            whenFull.run();
        }
    }

    /** What was taken still runs. */
    void shutdown() {
        threads.shutdown();
    }

    /** A pool makes a new thread when its queue refuses a task: this one refuses if no thread is idle. */
    private static final class OnlyToIdleThreads extends LinkedTransferQueue<Runnable> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }
    }
}
