// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.spi.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A world's time, which passes only when it is told to. A queue of events in the order of their instant and, within one
 * instant, in the order in which they were scheduled; so a run is repeatable to the last event.
 *
 * <p>Exactly one thread holds the baton: the one that last drove time, or the duty that it handed the baton to. Only that
 * thread touches the queue, without a lock. A call from any other thread is put aside and takes effect before the next
 * event, which is safe but not repeatable.
 */
public final class VirtualTime {
    /** Where the wall clock stands at nanosecond zero: 2026-01-01T00:00:00Z. */
    public static final long EPOCH_MILLIS = 1_767_225_600_000L;

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long IDLE_EVENTS_MAX = 10_000_000;
    private static final int NOT_QUEUED = -1;
    private static final Comparator<Event> ORDER =
            Comparator.<Event>comparingLong(e -> e.nanos).thenComparingLong(e -> e.sequence);

    private final Queue<Runnable> fromOutside = new ConcurrentLinkedQueue<>();
    private @Nullable Event[] heap = new Event[64];
    private int size;
    private long sequence;
    private long happened;
    private long fingerprint;
    private boolean inEvent;
    private @Nullable Witness witness;
    private volatile long nowNanos;
    private volatile Thread baton = Thread.currentThread();

    /** Something that happens at an instant. It can be scheduled again after it has happened, never twice at a time. */
    public abstract static class Event implements Host.Timer {
        private @Nullable VirtualTime time;
        private long nanos;
        private long sequence;
        private int place = NOT_QUEUED;

        protected abstract void happen();

        /** The instant for which it was last scheduled. */
        public final long nanos() {
            return nanos;
        }

        public final boolean isScheduled() {
            return place != NOT_QUEUED;
        }

        /** Takes it out of the queue. Harmless if it is not there. */
        @Override
        public void cancel() {
            VirtualTime in = time;
            if (in == null) {
                return;
            }
            if (in.hasBaton()) {
                in.remove(this);
            } else {
                in.fromOutside.add(() -> in.remove(this));
            }
        }
    }

    /** Sees every event of a world, on the thread that drives it: for what must hold at every instant. */
    public interface Witness {
        /** Time has moved to this instant, and nothing has happened there yet. */
        void arrived(long nanos);

        /** One more event has happened. */
        void happened();
    }

    private static final class Action extends Event {
        private final Runnable action;

        Action(Runnable action) {
            this.action = action;
        }

        @Override
        protected void happen() {
            action.run();
        }
    }

    /** Nanoseconds since this world began. */
    public long nanos() {
        return nowNanos;
    }

    public long wallMillis() {
        return EPOCH_MILLIS + nowNanos / NANOS_PER_MILLI;
    }

    public Instant now() {
        return Instant.ofEpochMilli(EPOCH_MILLIS).plusNanos(nowNanos);
    }

    /** How many events wait. */
    public int pending() {
        return size;
    }

    /** How many events have happened. */
    public long happened() {
        return happened;
    }

    /** A hash over the instant and the order of every event so far: equal runs have equal fingerprints. */
    public long fingerprint() {
        return SplitMix64.mix(fingerprint);
    }

    /** From now on this one is told of every event; there is at most one. */
    public void witnessedBy(Witness one) {
        witness = one;
    }

    /** Runs this at that instant, or now if it has passed. */
    public Event at(long nanos, Runnable action) {
        Event event = new Action(action);
        schedule(nanos, event);
        return event;
    }

    public Event after(Duration delay, Runnable action) {
        return at(nowNanos + delay.toNanos(), action);
    }

    /** The same with an event of the caller's own class: nothing is allocated. */
    public void schedule(long nanos, Event event) {
        if (Thread.currentThread() == baton) {
            insert(nanos, event);
        } else {
            fromOutside.add(() -> insert(nanos, event));
        }
    }

    /** Lets the next event happen, whenever it is due. Returns false if there is none. */
    public boolean runNext() {
        return runNextUntil(Long.MAX_VALUE);
    }

    /** Lets the next event happen if it is due by that instant. Time moves only to the event, not beyond. */
    public boolean runNextUntil(long limitNanos) {
        takeBaton();
        return step(limitNanos);
    }

    /** Lets everything happen that is due by that instant, and moves time there. */
    public void runUntil(long limitNanos) {
        takeBaton();
        while (step(limitNanos)) {}
        if (limitNanos > nowNanos) {
            nowNanos = limitNanos;
        }
    }

    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("time does not run backward: " + duration);
        }
        runUntil(nowNanos + duration.toNanos());
    }

    /** Lets everything happen that is due now; time does not move. */
    public void settle() {
        runUntil(nowNanos);
    }

    /** Lets everything happen until nothing waits. Never ends by itself where something repeats, hence the limit. */
    public void runUntilIdle() {
        takeBaton();
        long limit = happened + IDLE_EVENTS_MAX;
        while (step(Long.MAX_VALUE)) {
            if (happened > limit) {
                throw new IllegalStateException(
                        "not idle after " + IDLE_EVENTS_MAX + " events: something repeats; use advance instead");
            }
        }
    }

    /** Hands the baton to another thread, or takes it back from there; the caller then waits for it. */
    Thread handBatonTo(Thread next) {
        Thread before = baton;
        baton = next;
        return before;
    }

    boolean hasBaton() {
        return Thread.currentThread() == baton;
    }

    boolean isInEvent() {
        return inEvent;
    }

    /** Runs this at once if the caller has the baton, otherwise before the next event. */
    void withBaton(Runnable action) {
        if (Thread.currentThread() == baton) {
            action.run();
        } else {
            fromOutside.add(action);
        }
    }

    /** Takes an event out of the queue without cancelling it. */
    void unschedule(Event event) {
        remove(event);
    }

    /** Everything that waits, in the order in which it will happen. */
    List<Event> pendingInOrder() {
        List<Event> events = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            events.add(at(i));
        }
        events.sort(ORDER);
        return events;
    }

    private void takeBaton() {
        Thread me = Thread.currentThread();
        if (inEvent) {
            throw new IllegalStateException(
                    me == baton
                            ? "time is driven from inside an event: a duty rests, it does not advance time"
                            : "time is already being driven by thread " + baton.getName());
        }
        if (me != baton) {
            baton = me;
        }
    }

    private boolean step(long limitNanos) {
        if (!fromOutside.isEmpty()) {
            admit();
        }
        if (size == 0) {
            return false;
        }
        Event next = at(0);
        if (next.nanos > limitNanos) {
            return false;
        }
        remove(next);
        Witness watching = witness;
        if (next.nanos > nowNanos) {
            nowNanos = next.nanos;
            if (watching != null) {
                watching.arrived(next.nanos);
            }
        }
        happened++;
        fingerprint = (fingerprint + next.nanos) * 0x9e3779b97f4a7c15L + next.sequence;
        inEvent = true;
        try {
            next.happen();
        } finally {
            inEvent = false;
        }
        if (watching != null) {
            watching.happened();
        }
        return true;
    }

    private void admit() {
        Runnable action = fromOutside.poll();
        while (action != null) {
            action.run();
            action = fromOutside.poll();
        }
    }

    private void insert(long nanos, Event event) {
        if (event.place != NOT_QUEUED) {
            throw new IllegalStateException("already scheduled for " + event.nanos + ", again for " + nanos);
        }
        event.time = this;
        event.nanos = Math.max(nanos, nowNanos);
        event.sequence = sequence++;
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        siftUp(size++, event);
    }

    private void remove(Event event) {
        int hole = event.place;
        if (hole == NOT_QUEUED) {
            return;
        }
        event.place = NOT_QUEUED;
        Event last = at(--size);
        heap[size] = null;
        if (last == event) {
            return;
        }
        if (hole > 0 && isBefore(last, at((hole - 1) >>> 1))) {
            siftUp(hole, last);
        } else {
            siftDown(hole, last);
        }
    }

    private void siftUp(int from, Event event) {
        int hole = from;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            Event above = at(parent);
            if (!isBefore(event, above)) {
                break;
            }
            put(hole, above);
            hole = parent;
        }
        put(hole, event);
    }

    private void siftDown(int from, Event event) {
        int hole = from;
        while (true) {
            int child = 2 * hole + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && isBefore(at(child + 1), at(child))) {
                child++;
            }
            Event below = at(child);
            if (!isBefore(below, event)) {
                break;
            }
            put(hole, below);
            hole = child;
        }
        put(hole, event);
    }

    private void put(int place, Event event) {
        heap[place] = event;
        event.place = place;
    }

    private Event at(int place) {
        return Objects.requireNonNull(heap[place]);
    }

    private static boolean isBefore(Event one, Event other) {
        return one.nanos != other.nanos ? one.nanos < other.nanos : one.sequence < other.sequence;
    }
}
