package dev.tenure.internal.host;

import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The real machine: a loop with a thread of its own, and workers for duties, short calls and blocking clients. An idle client
 * costs one parked thread.
 */
public final class SystemHost implements Host {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final int CALLS_AT_ONCE_MAX = 3;
    private static final int IO_AT_ONCE_MAX = 2;

    private final SecureRandom random = new SecureRandom();
    private final Workers workers;
    private final Lane calls;
    private final Lane io;
    private final Loop loop;

    private SystemHost(String name) {
        workers = new Workers(name + "-worker");
        calls = new Lane(workers::execute, CALLS_AT_ONCE_MAX);
        io = new Lane(workers::execute, IO_AT_ONCE_MAX);
        loop = new Loop(name + "-loop", workers::shutdown);
    }

    public static SystemHost start(String name) {
        SystemHost host = new SystemHost(name);
        host.loop.start();
        return host;
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long random() {
        return random.nextLong();
    }

    @Override
    public void post(Runnable event) {
        loop.post(event);
    }

    @Override
    public void finish(Runnable event) {
        workers.finish(() -> loop.bring(event, Workers::goesOn));
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        return loop.wakeAt(nanos, event);
    }

    @Override
    public Work perform(String name, Runnable userCode) {
        RunningDuty duty = new RunningDuty(name, userCode);
        workers.execute(duty);
        return duty;
    }

    @Override
    public void call(Runnable callback) {
        calls.execute(callback);
    }

    @Override
    public Executor io() {
        return io;
    }

    @Override
    public Signal signal() {
        return new LatchSignal();
    }

    @Override
    public void halt(String why) {
        LOG.log(Level.ERROR, "halting this process: {0}", why);
        Runtime.getRuntime().halt(70);
    }

    @Override
    public void shutdown() {
        loop.stop();
    }

    /** Interrupts only while the user code runs: a pooled thread must not carry an interrupt into the next duty. */
    private static final class RunningDuty implements Runnable, Work {
        private final String name;
        private final Runnable userCode;
        private final Object gate = new Object();
        private @Nullable Thread thread;

        RunningDuty(String name, Runnable userCode) {
            this.name = name;
            this.userCode = userCode;
        }

        @Override
        public void run() {
            String poolName = Thread.currentThread().getName();
            synchronized (gate) {
                thread = Thread.currentThread();
                thread.setName(name);
            }
            try {
                Loop.carryOut(userCode);
            } finally {
                synchronized (gate) {
                    thread = null;
                    Thread.interrupted();
                    Thread.currentThread().setName(poolName);
                }
            }
        }

        @Override
        public void interrupt() {
            synchronized (gate) {
                // One that carries out events itself has nothing of the user's left to interrupt.
                if (thread != null && thread != Thread.currentThread()) {
                    thread.interrupt();
                }
            }
        }
    }

    /** Most signals are never waited for, and an election has two of them: the latch is made by the first who waits. */
    private static final class LatchSignal implements Signal {
        private boolean set;
        private @Nullable CountDownLatch latch;

        @Override
        public synchronized void set() {
            set = true;
            if (latch != null) {
                latch.countDown();
            }
        }

        @Override
        public synchronized boolean isSet() {
            return set;
        }

        @Override
        public boolean await(long nanos) throws InterruptedException {
            return latch().await(nanos, TimeUnit.NANOSECONDS);
        }

        private synchronized CountDownLatch latch() {
            if (latch == null) {
                latch = new CountDownLatch(set ? 0 : 1);
            }
            return latch;
        }
    }
}
