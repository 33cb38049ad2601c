// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.host;

import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One thread that runs events in the order in which they were posted, and timers when they are due. It cannot die: whatever
 * an event throws is logged, and the next event runs.
 */
final class EventLoop {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final ConcurrentLinkedQueue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    /** Only for the loop's own thread. */
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();

    private final Thread thread;
    private long armed;
    private volatile boolean stopping;

    /** @param afterwards run at its end, on its own thread */
    EventLoop(String name, Runnable afterwards) {
        thread = new Thread(
                () -> {
                    run();
                    afterwards.run();
                },
                name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Ends the loop after what is posted. */
    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
    }

    void post(Runnable event) {
        inbox.add(event);
        if (Thread.currentThread() != thread) {
            LockSupport.unpark(thread);
        } // else it is awake, and looks into the inbox before it parks
    }

    /** Called on the loop only. */
    Host.Timer wakeAt(long nanos, Runnable event) {
        Timer timer = new Timer(nanos, armed++, event);
        timers.add(timer);
        return timer;
    }

    private void run() {
        while (!stopping || !inbox.isEmpty()) {
            Runnable event = inbox.poll();
            if (event == null) {
                event = dueTimer();
            }
            if (event != null) {
                runGuarded(event);
            } else {
                park();
            }
        }
    }

    private @Nullable Runnable dueTimer() {
        Timer first = timers.peek();
        while (first != null && (first.event == null || first.nanos - System.nanoTime() <= 0)) {
            timers.poll();
            if (first.event != null) {
                return first.event;
            }
            first = timers.peek();
        }
        return null;
    }

    private void park() {
        Thread.interrupted(); // an event may have left one behind: nobody could park with it
        Timer first = timers.peek();
        if (first == null) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, Math.max(1, first.nanos - System.nanoTime()));
        }
    }

    // The one boundary that catches everything: an event that fails must not take the others with it, nor may the log.
    static void runGuarded(Runnable event) {
        try {
            event.run();
        } catch (Throwable failure) {
            try {
                LOG.log(Level.ERROR, "an event failed; the next one runs", failure);
            } catch (Throwable ofTheLog) {
                // There is nobody left to report it to.
            }
        }
    }

    /**
     * A cancelled timer stays in the heap until it comes to the top: removing it earlier would be a search. Its event is let go
     * at once, because that may hold a whole request and its answer.
     */
    private static final class Timer implements Host.Timer, Comparable<Timer> {
        private final long nanos;
        private final long number;
        private @Nullable Runnable event;

        Timer(long nanos, long number, Runnable event) {
            this.nanos = nanos;
            this.number = number;
            this.event = event;
        }

        @Override
        public void cancel() {
            event = null;
        }

        @Override
        public int compareTo(Timer other) {
            long byTime = nanos - other.nanos;
            return byTime != 0 ? Long.signum(byTime) : Long.compare(number, other.number);
        }
    }
}
