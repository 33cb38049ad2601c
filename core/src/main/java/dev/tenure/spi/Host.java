// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.util.concurrent.Executor;

/**
 * Time, threads and chance: everything that would make a run unrepeatable comes through here. Production has one
 * implementation; the simulator and the test kit have others with virtual time.
 */
public interface Host {
    /** A monotonic clock, for every duration and deadline. */
    long nanos();

    /** The wall clock: shown to people, and able to withdraw authority; never able to grant it. */
    long wallMillis();

    /** 64 uniformly random bits. */
    long random();

    /** Runs this on the loop, after what was posted before. May be called from any thread. */
    void post(Runnable event);

    /** Runs this on the loop once the monotonic clock has reached this time. Called on the loop only. */
    Timer wakeAt(long nanos, Runnable event);

    /** For user code that may block as long as it likes: a thread of its own. */
    Work runDuty(String name, Runnable userCode);

    /** For callbacks that begin something or inform somebody: bounded in threads, in no order. */
    void runCallback(Runnable callback);

    /**
     * For callbacks that end work: {@code deactivate}, {@code onLoss}, an interrupt. In no order. It never waits for what
     * {@link #runCallback} runs, because a callback that hangs in one election must not keep another one's work from being stopped.
     */
    void runFinalCallback(Runnable callback);

    /** For blocking store clients. */
    Executor io();

    /** A one-shot signal that user threads can wait for. */
    Signal signal();

    /** Ends the process at once. */
    void halt(String why);

    /** Stops the loop after what is posted, and frees the threads. Called from anywhere, once. */
    void shutdown();

    /** An armed wake-up. */
    @FunctionalInterface
    interface Timer {
        /** From now on it does not fire. Cancelling twice does nothing. */
        void cancel();
    }

    /** Running user code. */
    @FunctionalInterface
    interface Work {
        /** Interrupts the thread that it runs on; does nothing once it is over. */
        void interrupt();
    }

    /** Set once, seen by all who wait. */
    interface Signal {
        /** Wakes everybody that waits, now and later. */
        void set();

        /** Was it set? */
        boolean isSet();

        /** Returns whether it was set within this time. */
        boolean await(long nanos) throws InterruptedException;
    }
}
