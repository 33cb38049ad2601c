package dev.tenure.internal.host;

import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The real machine: one loop thread, a few threads for short calls and blocking clients, and one thread per running duty.
 * All of them are daemons and end by themselves when idle, so that an idle client costs one parked thread.
 *
 * <p>The loop cannot die: whatever an event throws is logged, and the next event runs.
 */
public final class SystemHost implements Host {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final int CALL_THREADS_MAX = 3;
    private static final int IO_THREADS_MAX = 2;
    private static final int IDLE_SECONDS = 5;

    private final ConcurrentLinkedQueue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Armed> timers = new PriorityQueue<>();
    private final SecureRandom random = new SecureRandom();
    private final ThreadPoolExecutor duties;
    private final ThreadPoolExecutor calls;
    private final ThreadPoolExecutor io;
    private final Thread loop;
    private long armed;
    private volatile boolean stopping;

    private SystemHost(String name) {
        duties = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                daemons(name + "-duty"));
        calls = pool(CALL_THREADS_MAX, daemons(name + "-call"));
        io = pool(IO_THREADS_MAX, daemons(name + "-io"));
        loop = new Thread(this::run, name + "-loop");
        loop.setDaemon(true);
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
        inbox.add(event);
        if (Thread.currentThread() != loop) {
            LockSupport.unpark(loop);
        } // else it is awake, and looks into the inbox before it parks
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        Armed timer = new Armed(nanos, armed++, event);
        timers.add(timer);
        return timer;
    }

    @Override
    public Work perform(String name, Runnable userCode) {
        RunningDuty duty = new RunningDuty(name, userCode);
        duties.execute(duty);
        return duty;
    }

    @Override
    public void call(Runnable callback) {
        runOn(calls, callback);
    }

    @Override
    public Executor io() {
        return task -> runOn(io, task);
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
        stopping = true;
        LockSupport.unpark(loop);
    }

    private void run() {
        while (!stopping || !inbox.isEmpty()) {
            Runnable event = inbox.poll();
            if (event == null) {
                event = dueTimer();
            }
            if (event != null) {
                carryOut(event);
            } else {
                park();
            }
        }
        duties.shutdown();
        calls.shutdown();
        io.shutdown();
    }

    // The one boundary that catches everything: an event that fails must not take the others with it.
    private static void carryOut(Runnable event) {
        try {
            event.run();
        } catch (Throwable failure) {
            LOG.log(Level.ERROR, "an event on the loop failed; the loop goes on", failure);
        }
    }

    private @Nullable Runnable dueTimer() {
        Armed first = timers.peek();
        while (first != null && (first.isCancelled() || first.nanos - System.nanoTime() <= 0)) {
            timers.poll();
            if (!first.isCancelled()) {
                return first.event;
            }
            first = timers.peek();
        }
        return null;
    }

    private void park() {
        Armed first = timers.peek();
        if (first == null) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, Math.max(1, first.nanos - System.nanoTime()));
        }
    }

    private static void runOn(ThreadPoolExecutor pool, Runnable task) {
        try {
            pool.execute(() -> carryOut(task));
        } catch (RejectedExecutionException afterShutdown) {
            LOG.log(Level.DEBUG, "dropped a call after shutdown", afterShutdown);
        }
    }

    private static ThreadPoolExecutor pool(int threads, ThreadFactory factory) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * A cancelled wake-up stays in the heap until it comes to the top: removing it earlier would be a search. What it would have
     * run is let go at once, because that may hold a whole request and its answer.
     */
    private static final class Armed implements Timer, Comparable<Armed> {
        private final long nanos;
        private final long number;
        private @Nullable Runnable event;

        Armed(long nanos, long number, Runnable event) {
            this.nanos = nanos;
            this.number = number;
            this.event = event;
        }

        @Override
        public void cancel() {
            event = null;
        }

        boolean isCancelled() {
            return event == null;
        }

        @Override
        public int compareTo(Armed other) {
            long byTime = nanos - other.nanos;
            return byTime != 0 ? Long.signum(byTime) : Long.compare(number, other.number);
        }
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
                carryOut(userCode);
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
                if (thread != null) {
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
