// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One node of a world in virtual time. Its loop is a sequence of events; code that may block runs on a thread of its
 * own, but only ever while everything else stands still, so that a run is repeatable.
 *
 * <p>A node can be paused (its events are held back in order, its clocks go on), suspended (the monotonic clock stands
 * still as well), and crashed (its events are dropped for ever, its threads never run again).
 *
 * <p>Open for extension: a simulator may override any method, such as {@link #runDuty} with an event where its duties
 * do not block, or {@link #run} to see every step.
 */
public class VirtualHost implements Host, AutoCloseable {
    private final String name;
    private final VirtualTime time;
    private final NodeClock clock;
    private final SplitMix64 random;
    private final ArrayDeque<Step> held = new ArrayDeque<>();
    private final List<Alarm> stalled = new ArrayList<>();
    private final Set<DutyCoroutine> coroutines = new LinkedHashSet<>();
    private final VirtualTime.Event catchUp = new VirtualTime.Event() {
        @Override
        protected void happen() {
            runHeld();
        }
    };
    private boolean paused;
    private boolean suspended;
    private long pausedAtNanos;
    private boolean stopped;
    private volatile boolean crashed;
    private volatile @Nullable String haltedBecause;

    public VirtualHost(String name, VirtualTime time, long seed) {
        this(name, time, new NodeClock(time, SplitMix64.mix(seed) >>> 20), seed);
    }

    public VirtualHost(String name, VirtualTime time, NodeClock clock, long seed) {
        this.name = name;
        this.time = time;
        this.clock = clock;
        this.random = new SplitMix64(seed);
        clock.onChange(this::rearm);
    }

    public final String name() {
        return name;
    }

    public final VirtualTime time() {
        return time;
    }

    public final NodeClock clock() {
        return clock;
    }

    // ---- Host

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    public long wallMillis() {
        return clock.wallMillis();
    }

    @Override
    public long random() {
        return random.next();
    }

    @Override
    public void post(Runnable event) {
        time.schedule(time.nanos(), new Step(event, true));
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        return arm(nanos, new Alarm(nanos, event, true));
    }

    @Override
    public Work runDuty(String name, Runnable userCode) {
        DutyCoroutine coroutine = new DutyCoroutine(this, name, userCode);
        time.withBaton(() -> {
            if (!crashed) {
                coroutines.add(coroutine);
                enqueue(coroutine::run);
            }
        });
        return coroutine;
    }

    @Override
    public void runCallback(Runnable callback) {
        enqueue(callback);
    }

    @Override
    public void runFinalCallback(Runnable callback) {
        enqueue(callback);
    }

    @Override
    public Executor io() {
        return this::enqueue;
    }

    @Override
    public Signal signal() {
        return new VirtualSignal(this);
    }

    /** Remembers why, and crashes the node. */
    @Override
    public void halt(String why) {
        haltedBecause = why;
        crash();
    }

    /** The loop ends after what is posted. Code that still runs may go on, as it may in a real process. */
    @Override
    public void shutdown() {
        enqueue(() -> stopped = true);
    }

    // ---- faults

    /** Holds back everything on this node until {@link #resume()}. What already runs goes on until it rests. */
    public void pause() {
        if (!paused) {
            paused = true;
            pausedAtNanos = time.nanos();
        }
    }

    /** As {@link #pause()}, with the monotonic clock standing still too, as on a laptop whose lid is closed. */
    public void suspend() {
        pause();
        suspended = true;
        clock.freeze();
    }

    /** What was held back happens now, in its order, and then what is new. */
    public void resume() {
        paused = false;
        if (suspended) {
            suspended = false;
            clock.thaw();
        }
        if (!held.isEmpty() && !catchUp.isScheduled()) {
            time.schedule(time.nanos(), catchUp);
        }
    }

    /** Nothing ever happens on this node again. Its threads stay where they are until {@link #close()}. */
    public void crash() {
        crashed = true;
    }

    public final boolean isPaused() {
        return paused;
    }

    /** How long it has been paused or suspended, in the world's time; zero if it is not. */
    public final Duration pausedFor() {
        return paused ? Duration.ofNanos(time.nanos() - pausedAtNanos) : Duration.ZERO;
    }

    public final boolean isCrashed() {
        return crashed;
    }

    /** Why the node ended its own process, if it did. */
    public final Optional<String> halted() {
        return Optional.ofNullable(haltedBecause);
    }

    /** Crashes the node and ends the threads of its duties where they wait. Idempotent. */
    @Override
    public void close() {
        crash();
        held.clear();
        IllegalStateException stuck = null;
        for (DutyCoroutine coroutine : List.copyOf(coroutines)) {
            coroutines.remove(coroutine);
            try {
                coroutine.unwind();
            } catch (IllegalStateException stillRunning) {
                stuck = stillRunning;
            }
        }
        if (stuck != null) {
            throw stuck;
        }
    }

    // ---- inside

    /** Every step of this node passes here, when it is neither paused nor crashed. */
    protected void run(Runnable action) {
        action.run();
    }

    final void enqueue(Runnable action) {
        time.schedule(time.nanos(), new Step(action, false));
    }

    /** Like {@link #wakeAt}, but outlives the loop. */
    final Timer arm(long nanos, Runnable action) {
        return arm(nanos, new Alarm(nanos, action, false));
    }

    final void ended(DutyCoroutine coroutine) {
        coroutines.remove(coroutine);
    }

    private Timer arm(long nanos, Alarm alarm) {
        long worldNanos = clock.worldNanosAt(nanos);
        if (worldNanos == Long.MAX_VALUE) {
            stalled.add(alarm);
        } else {
            time.schedule(worldNanos, alarm);
        }
        return alarm;
    }

    /** The clock has changed, so every wake-up of this node may be due at another instant of the world. */
    private void rearm() {
        List<Alarm> alarms = new ArrayList<>(stalled);
        stalled.clear();
        for (VirtualTime.Event event : time.pendingInOrder()) {
            if (event instanceof Alarm alarm && alarm.host() == this) {
                time.unschedule(alarm);
                alarms.add(alarm);
            }
        }
        alarms.forEach(alarm -> arm(alarm.deadlineNanos, alarm));
    }

    private void arrive(Step step) {
        if (crashed) {
            return;
        }
        if (paused || !held.isEmpty()) {
            held.add(step);
            return;
        }
        take(step);
    }

    private void runHeld() {
        if (paused || crashed) {
            return;
        }
        Step next = held.poll();
        if (next != null) {
            take(next);
        }
        if (!held.isEmpty() && !paused) {
            time.schedule(time.nanos(), catchUp);
        }
    }

    private void take(Step step) {
        if (!step.cancelled && !(stopped && step.ofLoop)) {
            run(step.action);
        }
    }

    private class Step extends VirtualTime.Event {
        final Runnable action;
        final boolean ofLoop;
        boolean cancelled;

        Step(Runnable action, boolean ofLoop) {
            this.action = action;
            this.ofLoop = ofLoop;
        }

        @Override
        protected void happen() {
            arrive(this);
        }

        /** Also takes back what is held, or stalled. */
        @Override
        public void cancel() {
            cancelled = true;
            super.cancel();
        }
    }

    private final class Alarm extends Step {
        final long deadlineNanos;

        Alarm(long deadlineNanos, Runnable action, boolean ofLoop) {
            super(action, ofLoop);
            this.deadlineNanos = deadlineNanos;
        }

        VirtualHost host() {
            return VirtualHost.this;
        }

        @Override
        public void cancel() {
            super.cancel();
            stalled.remove(this);
        }
    }
}
