package dev.tenure.internal.host;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Threads for whatever may block, as many as are needed. All of them are daemons and end by themselves when idle.
 *
 * <p>A thread that finishes its work goes on with the first thing that it asks for meanwhile: to hand that to another thread, and to
 * wake it, takes longer than most of what is asked for.
 */
final class Workers {
    private static final int IDLE_SECONDS = 5;

    private final ThreadPoolExecutor threads;

    Workers(String name) {
        AtomicInteger number = new AtomicInteger();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                work -> new Worker(work, name + "-" + number.incrementAndGet(), loader));
    }

    /** @throws java.util.concurrent.RejectedExecutionException after the shutdown */
    void execute(Runnable work) {
        boolean taken = Thread.currentThread() instanceof Worker worker && worker.goesOnWith(work);
        if (!taken) {
            threads.execute(() -> workOn(work));
        }
    }

    private static void workOn(Runnable work) {
        Worker worker = (Worker) Thread.currentThread();
        Runnable next = work;
        while (next != null) {
            Loop.carryOut(next);
            Thread.interrupted(); // was meant for what is over
            next = worker.takeNext();
        }
    }

    /** Runs this here, as the last thing that this thread does for its present work. */
    void finish(Runnable last) {
        if (Thread.currentThread() instanceof Worker worker) {
            worker.finish(last);
        } else {
            last.run();
        }
    }

    /** Does this thread have something else to go on with? */
    static boolean goesOn() {
        return Thread.currentThread() instanceof Worker worker && worker.next != null;
    }

    /** What runs goes on, nothing else begins. */
    void shutdown() {
        threads.shutdown();
    }

    /** All of it is for this thread only. */
    private static final class Worker extends Thread {
        private boolean finishing;
        private @Nullable Runnable next;

        /** A thread that is borrowed from a duty may be the one that needs it: nothing of the user's is handed on. */
        Worker(Runnable work, String name, ClassLoader loader) {
            super(null, work, name, 0, false);
            setContextClassLoader(loader);
            setDaemon(true);
        }

        void finish(Runnable last) {
            finishing = true;
            try {
                last.run();
            } finally {
                finishing = false;
            }
        }

        boolean goesOnWith(Runnable work) {
            boolean free = finishing && next == null;
            if (free) {
                next = work;
            }
            return free;
        }

        @Nullable
        Runnable takeNext() {
            Runnable taken = next;
            next = null;
            return taken;
        }
    }
}
