// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fakes;

import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/**
 * A host whose time stands still until the test moves it. One thing runs at a time: an event of the loop, a call, or the
 * duty that was handed the baton; a duty that waits hands it back. So nothing is left to chance, and nothing sleeps.
 */
public final class ManualHost implements Host {
    private static final int STEPS_MAX = 50_000;

    private final Deque<Runnable> posted = new ArrayDeque<>();
    private final Deque<Runnable> calls = new ArrayDeque<>();
    private final Deque<Runnable> endings = new ArrayDeque<>();
    private final List<ManualWork> works = new ArrayList<>();
    private final PriorityQueue<Armed> timers = new PriorityQueue<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<String> halts = new ArrayList<>();
    private final SplittableRandom random;
    private long nanos = 1_000_000_000_000L;
    private long wallMillis = 1_750_000_000_000L;
    private long armed;
    private boolean callsHeld;
    private boolean endingsHeld;
    private boolean timersHeld;
    private boolean shutDown;
    private Optional<ManualWork> running = Optional.empty();

    public ManualHost() {
        this(1);
    }

    public ManualHost(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Runs everything that can run without time passing. */
    public void settle() {
        for (int steps = 0; runOne(); steps++) {
            if (steps > STEPS_MAX) {
                throw new IllegalStateException("goes on and on without any time passing");
            }
        }
    }

    /** Lets this much time pass, timer by timer. */
    public void advance(Duration duration) {
        long endNanos = nanos + duration.toNanos();
        settle();
        while (nextNanos() - endNanos <= 0) {
            passUntil(nextNanos());
            settle();
        }
        passUntil(endNanos);
        settle();
    }

    /** The process is paused: clocks run, nothing else does. */
    public void pause(Duration duration) {
        passUntil(nanos + duration.toNanos());
    }

    /** Only the wall clock moves: a step, or a host that was suspended. */
    public void stepWall(Duration step) {
        wallMillis += step.toMillis();
    }

    /** Code that ends work waits until it is let go. */
    public void holdEndings(boolean held) {
        endingsHeld = held;
    }

    /** Calls of user code wait until they are let go. */
    public void holdCalls(boolean held) {
        callsHeld = held;
    }

    /** Timers do not fire until they are let go: a loop that is stuck. */
    public void holdTimers(boolean held) {
        timersHeld = held;
    }

    /** What an event on the loop threw. */
    public List<Throwable> failures() {
        return failures;
    }

    public List<String> halts() {
        return halts;
    }

    public boolean isShutDown() {
        return shutDown;
    }

    /** How many duties have begun and not ended. */
    public long dutiesRunning() {
        return works.stream().filter(work -> !work.over).count();
    }

    private void passUntil(long untilNanos) {
        long millisBefore = nanos / 1_000_000;
        nanos = Math.max(nanos, untilNanos);
        wallMillis += nanos / 1_000_000 - millisBefore;
    }

    private long nextNanos() {
        long next = nanos + Duration.ofDays(10_000).toNanos();
        while (!timers.isEmpty() && timers.peek().cancelled) {
            timers.poll();
        }
        if (!timers.isEmpty() && !timersHeld) {
            next = Math.min(next, timers.peek().atNanos);
        }
        for (ManualWork work : works) {
            if (!work.over) {
                next = Math.min(next, Math.max(nanos + 1, work.untilNanos));
            }
        }
        return next;
    }

    private boolean runOne() {
        if (!posted.isEmpty()) {
            guarded(posted.poll());
            return true;
        }
        if (!calls.isEmpty() && !callsHeld) {
            guarded(calls.poll());
            return true;
        }
        if (!endings.isEmpty() && !endingsHeld) {
            guarded(endings.poll());
            return true;
        }
        for (ManualWork work : works) {
            if (work.canRun()) {
                work.resume();
                return true;
            }
        }
        works.removeIf(work -> work.over);
        if (!timersHeld && !timers.isEmpty() && timers.peek().atNanos - nanos <= 0) {
            Armed due = timers.poll();
            if (!due.cancelled) {
                guarded(due.event);
            }
            return true;
        }
        return false;
    }

    private void guarded(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException | Error failure) {
            failures.add(failure);
        }
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long wallMillis() {
        return wallMillis;
    }

    @Override
    public long random() {
        return random.nextLong();
    }

    @Override
    public void post(Runnable event) {
        posted.add(event);
    }

    @Override
    public Timer wakeAt(long atNanos, Runnable event) {
        Armed timer = new Armed(atNanos, armed++, event);
        timers.add(timer);
        return () -> timer.cancelled = true;
    }

    @Override
    public Work runDuty(String name, Runnable userCode) {
        ManualWork work = new ManualWork(name, userCode);
        works.add(work);
        return work;
    }

    @Override
    public void runCallback(Runnable callback) {
        calls.add(callback);
    }

    @Override
    public void runFinalCallback(Runnable callback) {
        endings.add(callback);
    }

    @Override
    public Executor io() {
        return this::runCallback;
    }

    @Override
    public Signal signal() {
        return new ManualSignal();
    }

    @Override
    public void halt(String why) {
        halts.add(why);
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    private static final class Armed implements Comparable<Armed> {
        private final long atNanos;
        private final long number;
        private final Runnable event;
        private boolean cancelled;

        Armed(long atNanos, long number, Runnable event) {
            this.atNanos = atNanos;
            this.number = number;
            this.event = event;
        }

        @Override
        public int compareTo(Armed other) {
            return atNanos != other.atNanos ? Long.compare(atNanos, other.atNanos) : Long.compare(number, other.number);
        }
    }

    /** User code on a thread of its own, which runs only while the test waits for it. */
    private final class ManualWork implements Work {
        private final Semaphore mine = new Semaphore(0);
        private final Semaphore back = new Semaphore(0);
        private final Thread thread;
        private volatile boolean begun;
        private volatile boolean over;
        private volatile boolean interrupted;
        private volatile Optional<Signal> waitsFor = Optional.empty();
        private volatile long untilNanos;

        ManualWork(String name, Runnable userCode) {
            this.untilNanos = nanos;
            this.thread = new Thread(
                    () -> {
                        mine.acquireUninterruptibly();
                        guarded(userCode);
                        over = true;
                        back.release();
                    },
                    name);
            thread.setDaemon(true);
        }

        private boolean canRun() {
            return !over
                    && (!begun || interrupted || waitsFor.map(Signal::isSet).orElse(true) || untilNanos - nanos <= 0);
        }

        private void resume() {
            if (!begun) {
                begun = true;
                thread.start();
            }
            Optional<ManualWork> before = running;
            running = Optional.of(this);
            mine.release();
            back.acquireUninterruptibly();
            running = before;
        }

        private boolean await(Signal signal, long waitNanos) throws InterruptedException {
            untilNanos = waitNanos > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : nanos + waitNanos;
            waitsFor = Optional.of(signal);
            back.release();
            mine.acquireUninterruptibly();
            if (interrupted) {
                interrupted = false;
                throw new InterruptedException("interrupted by the test's host");
            }
            return signal.isSet();
        }

        @Override
        public void interrupt() {
            interrupted = !over;
        }
    }

    private final class ManualSignal implements Signal {
        private volatile boolean set;

        @Override
        public void set() {
            set = true;
        }

        @Override
        public boolean isSet() {
            return set;
        }

        @Override
        public boolean await(long waitNanos) throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted before it waited");
            }
            Optional<ManualWork> work = running.filter(now -> now.thread == Thread.currentThread());
            if (work.isPresent()) {
                return set || work.get().await(this, waitNanos);
            }
            long endNanos = nanos + Math.min(waitNanos, Duration.ofDays(1000).toNanos());
            settle();
            while (!set && nextNanos() - endNanos <= 0) {
                passUntil(nextNanos());
                settle();
            }
            if (!set) {
                passUntil(endNanos);
                settle();
            }
            return set;
        }
    }
}
