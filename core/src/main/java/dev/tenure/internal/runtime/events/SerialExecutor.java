// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.events;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Runs the calls of one listener one after the other, in order, on an executor that it shares with others. A call that does not
 * return keeps one thread, and only the calls behind it wait. Safe for any thread.
 */
public final class SerialExecutor implements Executor {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final String name;
    private final int waitingMax;
    private final Executor threads;
    private final Executor log;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private Optional<Thread> running = Optional.empty();
    private Optional<Host.Signal> idle = Optional.empty();
    private boolean scheduled;
    private boolean closed;
    private long dropped;

    /**
     * @param waitingMax how many calls wait at most behind the one that runs; more are dropped, with a line in the log
     * @param threads where calls run
     */
    public SerialExecutor(String name, int waitingMax, Host host, Executor threads) {
        this.name = name;
        this.waitingMax = waitingMax;
        this.threads = threads;
        // Logging may block on a full pipe, and the loop is among the callers.
        this.log = line -> host.runDuty("tenure-log", line);
    }

    @Override
    public void execute(Runnable call) {
        boolean full;
        boolean begin;
        long droppedNow;
        synchronized (this) {
            if (closed) {
                return;
            }
            full = waiting.size() >= waitingMax;
            if (full) {
                dropped++;
            } else {
                waiting.add(call);
            }
            droppedNow = dropped;
            begin = !full && !scheduled;
            scheduled |= begin;
        }
        if (full) {
            reportDropped(droppedNow);
        } else if (begin) {
            threads.execute(this::run);
        }
    }

    /** At 1, 2, 4, 8 and so on: a listener that never returns must not fill the log. */
    private void reportDropped(long count) {
        if (Long.bitCount(count) == 1) {
            log.execute(() ->
                    LOG.log(Level.WARNING, "{0} is blocked or too slow: {1} of its calls were dropped", name, count));
        }
    }

    /** A listener that fails disturbs neither the next one nor the thread. */
    public static void runGuarded(Runnable listener) {
        try {
            listener.run();
        } catch (Throwable failure) {
            LOG.log(Level.WARNING, "a listener failed", failure);
        }
    }

    private void run() {
        Optional<Runnable> next = next();
        while (next.isPresent()) {
            runGuarded(next.get());
            next = next();
        }
    }

    private synchronized Optional<Runnable> next() {
        Optional<Runnable> next = Optional.ofNullable(waiting.poll());
        if (next.isPresent()) {
            running = Optional.of(Thread.currentThread());
        } else {
            running = Optional.empty();
            scheduled = false;
            idle.ifPresent(Host.Signal::set);
        }
        return next;
    }

    private synchronized boolean isIdle() {
        return !scheduled;
    }

    /** Takes nothing more, and forgets what waits. */
    public synchronized void discard() {
        closed = true;
        waiting.clear();
    }

    /** Takes nothing more, and drops what waits once this time has passed. What already runs is not waited for beyond it. */
    void close(Host host, long untilNanos) {
        Host.Signal drained = host.signal();
        boolean mine;
        synchronized (this) {
            closed = true;
            idle = Optional.of(drained);
            mine = running.filter(thread -> thread == Thread.currentThread()).isPresent();
            if (mine || !scheduled) {
                drained.set(); // a listener that closes its own client would wait for itself
            }
        }
        Uninterrupted.await(drained, host, untilNanos);
        int left;
        synchronized (this) {
            left = waiting.size();
            waiting.clear();
        }
        if (left > 0 && !mine) { // without the monitor: a log may block, and the loop takes it
            LOG.log(Level.WARNING, "{0} is blocked or too slow: closing, {1} of its calls were dropped", name, left);
        }
    }

    /**
     * One queue for each election. So a listener that hangs keeps one thread, however many terms and candidacies of its election
     * follow. An election without such calls costs nothing.
     *
     * @param name of a listener, as the log shows it in front of the election
     */
    public record PerElection(
            String name, int waitingMax, Host host, Executor threads, Map<ElectionName, SerialExecutor> queues) {
        public PerElection(String name, int waitingMax, Host host, Executor threads) {
            this(name, waitingMax, host, threads, new ConcurrentHashMap<>());
        }

        public void run(ElectionName election, Runnable call) {
            queues.compute(election, (same, present) -> {
                SerialExecutor queue = present == null ? queueOf(election) : present;
                queue.execute(call);
                return queue;
            });
        }

        private SerialExecutor queueOf(ElectionName election) {
            return new SerialExecutor(
                    name + " of " + election,
                    waitingMax,
                    host,
                    calls -> threads.execute(() -> {
                        calls.run();
                        queues.computeIfPresent(election, (same, queue) -> queue.isIdle() ? null : queue);
                    }));
        }
    }
}
