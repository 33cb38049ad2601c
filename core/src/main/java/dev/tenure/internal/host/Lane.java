package dev.tenure.internal.host;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Work of one kind: so much of it at a time, the rest in line. A worker that goes on with something else has left the lane: what
 * it does then must not keep anybody here waiting.
 */
final class Lane implements Executor {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** Where much is to be done, no thread leaves that another one would have to be made for. */
    private static final long LINGER_NANOS = 2_000_000;

    private final Executor workers;
    private final int atOnceMax;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int atOnce;
    /** Of those, who have nothing to do, and wait a moment for more. */
    private int lingering;

    Lane(Executor workers, int atOnceMax) {
        this.workers = workers;
        this.atOnceMax = atOnceMax;
    }

    @Override
    public void execute(Runnable work) {
        synchronized (this) {
            waiting.add(work);
            if (waiting.size() <= lingering) {
                notify();
                return;
            }
            if (atOnce == atOnceMax) {
                return;
            }
            atOnce++;
        }
        try {
            if (!start()) {
                drop();
            }
        } catch (RuntimeException | Error noThread) {
            takeBack(work);
            throw noThread;
        }
    }

    private boolean start() {
        try {
            workers.execute(this::work);
            return true;
        } catch (RejectedExecutionException afterShutdown) {
            LOG.log(Level.DEBUG, "no work begins after the shutdown", afterShutdown);
            return false;
        }
    }

    /** Whoever still works here takes what waits; if nobody does, nobody will. */
    private synchronized void drop() {
        atOnce--;
        if (atOnce == 0) {
            waiting.clear();
        }
    }

    /** The machine may have threads again for the next one. */
    private synchronized void takeBack(Runnable work) {
        atOnce--;
        waiting.removeLastOccurrence(work);
    }

    private void work() {
        Runnable next = poll();
        while (next != null) {
            Loop.carryOut(next);
            Thread.interrupted(); // was meant for what is over
            next = Workers.goesOn() && leave() ? null : poll();
        }
    }

    private synchronized @Nullable Runnable poll() {
        if (waiting.isEmpty()) {
            linger();
        }
        Runnable next = waiting.poll();
        if (next == null) {
            atOnce--;
        }
        return next;
    }

    private void linger() {
        long untilNanos = System.nanoTime() + LINGER_NANOS;
        long leftNanos = LINGER_NANOS;
        lingering++;
        try {
            while (waiting.isEmpty() && leftNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
                leftNanos = untilNanos - System.nanoTime();
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        } finally {
            lingering--;
        }
    }

    /** Returns whether what waits is in other hands. */
    private boolean leave() {
        synchronized (this) {
            if (waiting.isEmpty()) {
                atOnce--;
                return true;
            }
        }
        try {
            return start();
        } catch (RuntimeException | Error noThread) {
            LOG.log(Level.WARNING, "no further thread could be had", noThread);
            return false;
        }
    }
}
