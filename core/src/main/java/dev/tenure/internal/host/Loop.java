package dev.tenure.internal.host;

import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out events one after the other, in the order in which they were posted, and timers when they are due. It has a
 * thread of its own, and borrows that of whoever brings an event and has nothing else to do: to wake a sleeping thread
 * takes longer than most events.
 *
 * <p><b>One at a time.</b> Whoever carries out events is {@code inside}, and there is only one. It enters by compare-and-set
 * and leaves by a volatile write, so each sees all that the one before it did. What runs on the loop is confined to it as if
 * that were one thread, and never waits; so nobody is kept out for long.
 *
 * <p><b>Nothing is left lying.</b> Who posts writes the inbox and then reads who is inside; who leaves writes that nobody is
 * inside and then reads the inbox. One of the two sees the other: the event is carried out by the one inside, or the loop's
 * own thread is woken for it. With timers it is the same: who leaves tells the first of them and then reads what the
 * thread sleeps for; the thread tells what it will sleep for and then reads again which is the first.
 *
 * <p>It cannot die: whatever an event throws is logged, and the next one is carried out.
 */
final class Loop {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** So many events does a borrowed thread carry out before it is given back. */
    private static final int BORROWED_EVENTS_MAX = 64;

    private final ConcurrentLinkedQueue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    /** Only for the one inside. */
    private final PriorityQueue<Armed> timers = new PriorityQueue<>();

    private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();
    private final Thread thread;
    private long armed;
    private volatile @Nullable Armed first;
    private volatile @Nullable Armed sleepsFor;
    private volatile boolean stopping;

    /** @param afterwards run at its end, on its own thread */
    Loop(String name, Runnable afterwards) {
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

    /** After what is posted. */
    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
    }

    void post(Runnable event) {
        inbox.add(event);
        if (inside.get() == null) {
            LockSupport.unpark(thread);
        } // else whoever is inside looks into the inbox when it leaves
    }

    /** Only for the one inside. */
    Armed wakeAt(long nanos, Runnable event) {
        Armed timer = new Armed(nanos, armed++, event);
        timers.add(timer);
        return timer;
    }

    /**
     * As {@link #post}, by a thread that may be borrowed.
     *
     * @param wanted true as soon as the thread has something else to do
     */
    void bring(Runnable event, BooleanSupplier wanted) {
        if (!enter()) {
            post(event);
            return;
        }
        boolean interrupted = false;
        try {
            inbox.add(event); // behind what is there
            int carriedOut = 0;
            do {
                // Meant for what this thread did before. Here it would close the channel of a store.
                interrupted |= Thread.interrupted();
                carriedOut++;
            } while (carryOutPosted() && carriedOut < BORROWED_EVENTS_MAX && !wanted.getAsBoolean());
        } finally {
            leave();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean enter() {
        return inside.compareAndSet(null, Thread.currentThread());
    }

    private void leave() {
        Armed next = firstTimer();
        first = next;
        inside.set(null);
        if (!inbox.isEmpty() || isBefore(next, sleepsFor) || stopping) {
            LockSupport.unpark(thread);
        }
    }

    private static boolean isBefore(@Nullable Armed next, @Nullable Armed other) {
        return next != null && (other == null || next.compareTo(other) < 0);
    }

    /** It stays inside when it has ended: what is brought afterwards is not carried out. */
    private void run() {
        while (true) {
            if (enter()) {
                while (carryOutPosted() || carryOutDue()) {}
                if (stopping && inbox.isEmpty()) {
                    return;
                }
                leave();
                sleepUntilDue();
            } else {
                sleepUntilLeft();
            }
        }
    }

    private void sleepUntilDue() {
        Armed until = first;
        sleepsFor = until;
        boolean missed = first != until || stopping || !inbox.isEmpty();
        if (missed) {
            return;
        }
        if (until == null) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, Math.max(1, until.nanos - System.nanoTime()));
        }
    }

    /** Somebody else is inside, and wakes this thread when it leaves, if there is anything to do or to wait for. */
    private void sleepUntilLeft() {
        sleepsFor = null;
        if (inside.get() != null) {
            LockSupport.park(this);
        }
    }

    private boolean carryOutPosted() {
        Runnable event = inbox.poll();
        if (event == null) {
            return false;
        }
        carryOut(event);
        return true;
    }

    private boolean carryOutDue() {
        Armed next = firstTimer();
        if (next == null || next.nanos - System.nanoTime() > 0) {
            return false;
        }
        timers.poll();
        Runnable event = next.event;
        if (event != null) {
            carryOut(event);
        }
        return true;
    }

    private @Nullable Armed firstTimer() {
        Armed next = timers.peek();
        while (next != null && next.isCancelled()) {
            timers.poll();
            next = timers.peek();
        }
        return next;
    }

    // The one boundary that catches everything: an event that fails must not take the others with it.
    static void carryOut(Runnable event) {
        try {
            event.run();
        } catch (Throwable failure) {
            LOG.log(Level.ERROR, "an event on the loop failed; the loop goes on", failure);
        }
    }

    /**
     * A cancelled wake-up stays in the heap until it comes to the top: removing it earlier would be a search. What it would have
     * run is let go at once, because that may hold a whole request and its answer.
     */
    static final class Armed implements Host.Timer, Comparable<Armed> {
        private final long nanos;
        private final long number;
        private @Nullable Runnable event;

        private Armed(long nanos, long number, Runnable event) {
            this.nanos = nanos;
            this.number = number;
            this.event = event;
        }

        @Override
        public void cancel() {
            event = null;
        }

        private boolean isCancelled() {
            return event == null;
        }

        @Override
        public int compareTo(Armed other) {
            long byTime = nanos - other.nanos;
            return byTime != 0 ? Long.signum(byTime) : Long.compare(number, other.number);
        }
    }
}
