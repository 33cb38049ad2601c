// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing.internal;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Code on a thread of its own that never runs at the same time as the thread that resumes it: {@link #resume} lets it run
 * and waits until it has parked or ended, {@link #park} gives control back. So blocking code takes part in virtual time, and
 * the order in which threads run is decided by the caller alone.
 *
 * <p>A thread that is never resumed again would be left behind; {@link #unwind} ends it with an error thrown out of its
 * {@code park}.
 */
public final class Coroutine {
    /** How long, in real seconds, code may block on something that virtual time knows nothing of. */
    private static final int BLOCKED_SECONDS_MAX = 10;
    /** How long, in real seconds, code may compute without resting. Generous, for people with a debugger. */
    private static final int BUSY_SECONDS_MAX = 120;

    private final Semaphore mayRun = new Semaphore(0);
    private final Semaphore hasPaused = new Semaphore(0);
    private final Thread thread;
    private final int blockedSecondsMax;
    private volatile boolean ended;
    private volatile boolean unwinding;
    private volatile @Nullable Throwable failure;

    public Coroutine(String name, Runnable code) {
        this(name, code, BLOCKED_SECONDS_MAX);
    }

    Coroutine(String name, Runnable code, int blockedSecondsMax) {
        this.blockedSecondsMax = blockedSecondsMax;
        this.thread = new Thread(() -> live(code), name);
        this.thread.setDaemon(true);
    }

    public Thread thread() {
        return thread;
    }

    public boolean hasEnded() {
        return ended;
    }

    /**
     * Runs the code until it parks or ends.
     *
     * @throws IllegalStateException if it does neither, in real time
     */
    public void resume() {
        if (ended) {
            return;
        }
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        } else {
            mayRun.release();
        }
        awaitPause();
        if (ended) {
            joinUninterruptibly();
        }
        Throwable thrown = failure;
        if (thrown != null && !unwinding) {
            failure = null;
            throw new IllegalStateException("thread " + thread.getName() + " died of " + thrown, thrown);
        }
    }

    /** Gives control back to the one who resumed. Called by the code itself; keeps the interrupt status. */
    public void park() {
        if (unwinding) {
            throw new Unwound();
        }
        hasPaused.release();
        mayRun.acquireUninterruptibly();
        if (unwinding) {
            throw new Unwound();
        }
    }

    /** Ends the code where it is parked: its {@code finally} blocks run, it can park no more. */
    public void unwind() {
        unwinding = true;
        if (thread.getState() == Thread.State.NEW) {
            ended = true;
            return;
        }
        resume();
    }

    private void live(Runnable code) {
        try {
            if (!unwinding) {
                code.run();
            }
        } catch (Unwound expected) {
            // The end of a thread that nobody resumes any more.
        } catch (Throwable thrown) {
            failure = thrown;
        } finally {
            ended = true;
            hasPaused.release();
        }
    }

    private void awaitPause() {
        boolean interrupted = false;
        int seconds = 0;
        while (true) {
            try {
                if (hasPaused.tryAcquire(1, TimeUnit.SECONDS)) {
                    break;
                }
                seconds++;
                refuseToWaitForEver(seconds);
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void refuseToWaitForEver(int seconds) {
        boolean busy = thread.getState() == Thread.State.RUNNABLE;
        if (seconds < (busy && !unwinding ? BUSY_SECONDS_MAX : blockedSecondsMax)) {
            return;
        }
        IllegalStateException stuck = new IllegalStateException("virtual time stands still: thread " + thread.getName()
                + (busy ? " has computed" : " has been blocked") + " for " + seconds + " s of real time."
                + " A duty under test waits with leadership.rest(…), and loops with a rest.");
        stuck.setStackTrace(thread.getStackTrace());
        throw stuck;
    }

    private void joinUninterruptibly() {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Not an exception, so that a duty's {@code catch (Exception e)} does not swallow it. */
    private static final class Unwound extends Error {
        private static final long serialVersionUID = 1L;

        Unwound() {
            super("the world of this thread was closed", null, false, false);
        }
    }
}
