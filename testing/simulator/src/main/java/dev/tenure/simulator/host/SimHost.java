// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.host;

import dev.tenure.simulator.plan.Plan;
import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualHost;
import dev.tenure.testing.VirtualTime;
import java.util.ArrayDeque;

/**
 * The machine under one process. User code that does not block runs as an event, without a thread; the loop can be stuck
 * while user code goes on; callbacks and wake-ups can be late.
 */
public final class SimHost extends VirtualHost {
    /** What the world wants to know of a host. */
    public interface Keeper {
        void failed(Throwable failure);

        void halted(String why);

        void stepped();

        /** How long user code that is being stopped keeps its threads busy. */
        long busyNanos();

        /** Its loop, its timers or its calls stand still or are late, or do so no more. */
        void disturbed(boolean disturbed);
    }

    private static final Timer NO_TIMER = () -> {};

    private final Keeper keeper;
    private final SplitMix64 chance;
    private final ArrayDeque<Wake> backlog = new ArrayDeque<>();
    private final boolean threads;
    private final boolean userCodeHangs;
    private final CallThreads calls;
    private final CallThreads endings;
    /** What was called before still runs. */
    private boolean shutDown;

    private boolean stuck;
    private long callsLateNanosMax;
    private long timersLateNanosMax;
    private long fencesLateNanosMax;
    private int armed;
    private int posted;

    /** Duties get a thread each where the plan says so; otherwise they must not block, and run as events. */
    public SimHost(String name, VirtualTime time, SimClock clock, SplitMix64 chance, Plan plan, Keeper keeper) {
        super(name, time, clock, chance.next());
        this.keeper = keeper;
        this.chance = chance;
        this.threads = plan.threads;
        this.userCodeHangs = plan.userCode.hangs();
        this.calls = new CallThreads("call", plan.userCode.callThreadsMax(), new Machine());
        this.endings = new CallThreads("end", plan.userCode.endThreadsMax(), new Machine());
    }

    // ---- faults

    public void stick() {
        stuck = true;
        reportDisturbed();
    }

    public void unstick() {
        stuck = false;
        ArrayDeque<Wake> waiting = new ArrayDeque<>(backlog);
        backlog.clear();
        waiting.forEach(wake -> super.post(wake));
        reportDisturbed();
    }

    public boolean isStuck() {
        return stuck;
    }

    public void callLate(long nanosMax) {
        callsLateNanosMax = nanosMax;
        reportDisturbed();
    }

    public void wakeLate(long nanosMax) {
        timersLateNanosMax = nanosMax;
        reportDisturbed();
    }

    public void raiseLate(long nanosMax) {
        fencesLateNanosMax = nanosMax;
    }

    @Override
    public void pause() {
        super.pause();
        reportDisturbed();
    }

    @Override
    public void resume() {
        super.resume();
        reportDisturbed();
    }

    private void reportDisturbed() {
        keeper.disturbed(isPaused() || stuck || callsLateNanosMax > 0 || timersLateNanosMax > 0);
    }

    /** Will the loop run again by itself, or when a call returns? */
    public boolean isArmed() {
        return armed + posted > 0 || calls.isBusy() || endings.isBusy();
    }

    // ---- Host

    @Override
    public void post(Runnable event) {
        posted++;
        super.post(new Wake(event, true));
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        armed++;
        Wake wake = new Wake(event, false);
        long lateNanos = timersLateNanosMax == 0 ? 0 : chance.below(timersLateNanosMax);
        wake.timer = super.wakeAt(nanos + lateNanos, wake);
        return wake;
    }

    @Override
    public void runCallback(Runnable callback) {
        runLate(callback, calls);
    }

    @Override
    public void runFinalCallback(Runnable callback) {
        runLate(callback, endings);
    }

    private void runLate(Runnable callback, CallThreads executor) {
        long lateNanos = callsLateNanosMax == 0 ? 0 : chance.below(callsLateNanosMax);
        Runnable begin = () -> super.runCallback(callback);
        if (userCodeHangs && shutDown) {
            return;
        }
        if (userCodeHangs) {
            begin = () -> executor.execute(callback);
        } else {
            lateNanos += keeper.busyNanos();
        }
        if (lateNanos == 0) {
            begin.run();
        } else {
            time().at(time().nanos() + lateNanos, begin);
        }
    }

    /** User code on a thread of its own, which is never late. */
    public void user(Runnable step) {
        super.runCallback(step);
    }

    @Override
    public Work runDuty(String name, Runnable userCode) {
        boolean fence = name.startsWith("tenure-fence");
        if (userCodeHangs || (threads && !fence)) {
            return super.runDuty(name, userCode);
        }
        long lateNanos = fence && fencesLateNanosMax > 0 ? chance.below(fencesLateNanosMax) : 0;
        if (lateNanos == 0) {
            super.runCallback(userCode);
        } else {
            time().at(time().nanos() + lateNanos, () -> super.runCallback(userCode));
        }
        return () -> {};
    }

    @Override
    public void shutdown() {
        super.shutdown();
        user(() -> shutDown = true); // with the end of the loop: what is posted may still call somebody
    }

    @Override
    public void halt(String why) {
        super.halt(why);
        keeper.halted(why);
    }

    // The boundary of the loop: as on a real host, what an event throws does not take the others with it.
    @Override
    protected void run(Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            keeper.failed(failure);
        }
        keeper.stepped();
    }

    private final class Machine implements CallThreads.Machine {
        @Override
        public void thread(String name, Runnable code) {
            SimHost.super.runDuty(name, code);
        }

        @Override
        public Signal signal() {
            return SimHost.this.signal();
        }

        @Override
        public void failed(Throwable failure) {
            if (!isCrashed()) { // a world that is over ends its threads with an error
                keeper.failed(failure);
            }
        }
    }

    /** An event of the loop: a posted one, or a wake-up that can be taken back. */
    private final class Wake implements Runnable, Timer {
        private final Runnable event;
        private final boolean isPost;
        private boolean over;
        private Timer timer = NO_TIMER;

        Wake(Runnable event, boolean isPost) {
            this.event = event;
            this.isPost = isPost;
        }

        @Override
        public void run() {
            if (over) {
                return;
            }
            if (stuck) {
                backlog.add(this);
                return;
            }
            settle();
            event.run();
        }

        @Override
        public void cancel() {
            if (!over) {
                settle();
                timer.cancel();
            }
        }

        private void settle() {
            over = true;
            if (isPost) {
                posted--;
            } else {
                armed--;
            }
        }
    }
}
