package dev.tenure.contract;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Wakes fifty times a second, and remembers when it could not: this process, or the machine under it, stood still. */
final class Pulse {
    private static final long EVERY_NANOS = Duration.ofMillis(20).toNanos();
    private static final long WORTH_TELLING_NANOS = Duration.ofMillis(100).toNanos();

    /** All suites of a process share it. */
    static final Pulse OF_THIS_PROCESS = new Pulse();

    private record Standstill(long endNanos, long nanos) {}

    private final Queue<Standstill> standstills = new ConcurrentLinkedQueue<>();

    private Pulse() {
        Thread thread = new Thread(this::beat, "contract-pulse");
        thread.setDaemon(true);
        thread.start();
    }

    private void beat() {
        long beforeNanos = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(EVERY_NANOS);
            long nowNanos = System.nanoTime();
            if (nowNanos - beforeNanos >= WORTH_TELLING_NANOS) {
                standstills.add(new Standstill(nowNanos, nowNanos - beforeNanos));
            }
            beforeNanos = nowNanos;
        }
    }

    /** The longest one that ended after this moment; zero if there was none worth telling. */
    Duration longestSince(long nanos) {
        return Duration.ofNanos(standstills.stream()
                .filter(standstill -> standstill.endNanos - nanos > 0)
                .mapToLong(Standstill::nanos)
                .max()
                .orElse(0));
    }
}
