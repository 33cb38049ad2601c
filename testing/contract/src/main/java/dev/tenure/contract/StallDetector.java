// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Wakes fifty times a second, and remembers when it could not: this process, or the machine under it, stood still. */
final class StallDetector {
    private static final long EVERY_NANOS = Duration.ofMillis(20).toNanos();
    private static final long WORTH_TELLING_NANOS = Duration.ofMillis(60).toNanos();

    /** All suites of a process share it. */
    static final StallDetector OF_THIS_PROCESS = new StallDetector();

    private record Standstill(long endNanos, long nanos) {}

    private final Queue<Standstill> standstills = new ConcurrentLinkedQueue<>();
    private volatile long wokeNanos = System.nanoTime();

    private StallDetector() {
        Thread thread = new Thread(this::beat, "contract-pulse");
        thread.setDaemon(true);
        thread.start();
    }

    private void beat() {
        while (true) {
            LockSupport.parkNanos(EVERY_NANOS);
            long nowNanos = System.nanoTime();
            if (nowNanos - wokeNanos >= WORTH_TELLING_NANOS) {
                standstills.add(new Standstill(nowNanos, nowNanos - wokeNanos));
            }
            wokeNanos = nowNanos;
        }
    }

    /**
     * The most that it could not wake within such a window, in all; zero if there was nothing worth telling. A renewal goes
     * through several threads, and each of them may wait: several short ones count like a long one.
     */
    Duration mostSince(long nanos, Duration window) {
        long mostNanos = 0;
        long sumNanos = 0;
        Deque<Standstill> within = new ArrayDeque<>();
        List<Standstill> all = new ArrayList<>(standstills);
        long nowNanos = System.nanoTime();
        if (nowNanos - wokeNanos >= WORTH_TELLING_NANOS) {
            all.add(new Standstill(nowNanos, nowNanos - wokeNanos)); // the thread that asks has woken before this one
        }
        for (Standstill standstill : all) {
            if (standstill.endNanos - nanos <= 0) {
                continue;
            }
            within.add(standstill);
            sumNanos += standstill.nanos;
            while (standstill.endNanos - within.element().endNanos >= window.toNanos()) {
                sumNanos -= within.remove().nanos;
            }
            mostNanos = Math.max(mostNanos, sumNanos);
        }
        return Duration.ofNanos(mostNanos);
    }
}
