// SPDX-License-Identifier: Apache-2.0
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
 * The real machine: one loop thread, a thread for each running duty, and bounded executors for callbacks and blocking clients.
 * An idle client costs one parked thread.
 *
 * <p>Code that ends work has an executor of its own. A callback that hangs in {@code activate}, in a listener or in another
 * election's {@code deactivate} so keeps no other duty from being notified to stop.
 */
public final class SystemHost implements Host {
    public static final int CALLBACK_THREADS_MAX = 256;

    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final int IO_THREADS_MAX = 2;

    private final SecureRandom random = new SecureRandom();
    private final GrowingExecutor duties;
    private final GrowingExecutor calls;
    private final GrowingExecutor endings;
    private final GrowingExecutor io;
    private final EventLoop loop;

    private SystemHost(String name, int callbackThreadsMax) {
        duties = new GrowingExecutor(name + "-duty", Integer.MAX_VALUE, () -> {});
        calls = new GrowingExecutor(
                name + "-call",
                callbackThreadsMax,
                () -> warn("all " + callbackThreadsMax
                        + " threads for callbacks are busy: activate(), warmUp() and listeners"
                        + " wait until one of them returns; see callbackThreadsMax"));
        endings = new GrowingExecutor(
                name + "-end",
                callbackThreadsMax,
                () -> warn("all " + callbackThreadsMax
                        + " threads for code that ends work are busy: deactivate(), onLoss() and"
                        + " interrupts wait until one of them returns, and may come late; authority ends in time all the"
                        + " same; see callbackThreadsMax"));
        io = new GrowingExecutor(name + "-io", IO_THREADS_MAX, () -> {});
        loop = new EventLoop(name + "-loop", this::shutdownExecutors);
    }

    /** Off the loop: a log may block on a full pipe. */
    private void warn(String text) {
        duties.execute(() -> LOG.log(Level.WARNING, text));
    }

    public static SystemHost start(String name) {
        return start(name, CALLBACK_THREADS_MAX);
    }

    /** @param callbackThreadsMax how many callbacks that begin or inform may run at once, and as many that end */
    public static SystemHost start(String name, int callbackThreadsMax) {
        SystemHost host = new SystemHost(name, callbackThreadsMax);
        host.loop.start();
        return host;
    }

    private void shutdownExecutors() {
        duties.shutdown();
        calls.shutdown();
        endings.shutdown();
        io.shutdown();
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
    public Timer wakeAt(long nanos, Runnable event) {
        return loop.wakeAt(nanos, event);
    }

    @Override
    public Work runDuty(String name, Runnable userCode) {
        RunningDuty duty = new RunningDuty(name, userCode);
        duties.execute(duty);
        return duty;
    }

    @Override
    public void runCallback(Runnable callback) {
        calls.execute(callback);
    }

    @Override
    public void runFinalCallback(Runnable callback) {
        endings.execute(callback);
    }

    @Override
    public Executor io() {
        return io;
    }

    @Override
    public Signal signal() {
        return new LatchSignal(new CountDownLatch(1));
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
        private boolean interrupted;

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
                if (interrupted) {
                    thread.interrupt(); // asked for before it had begun
                }
            }
            try {
                EventLoop.runGuarded(userCode);
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
                interrupted = true;
                if (thread != null) {
                    thread.interrupt();
                }
            }
        }
    }

    private record LatchSignal(CountDownLatch latch) implements Signal {
        @Override
        public void set() {
            latch.countDown();
        }

        @Override
        public boolean isSet() {
            return latch.getCount() == 0;
        }

        @Override
        public boolean await(long nanos) throws InterruptedException {
            return latch.await(nanos, TimeUnit.NANOSECONDS);
        }
    }
}
