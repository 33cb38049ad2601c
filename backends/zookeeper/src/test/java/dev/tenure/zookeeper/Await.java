// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions, never for a fixed time. */
final class Await {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Await() {}

    static void until(String what, Callable<Boolean> condition) throws Exception {
        long byNanos = System.nanoTime() + LIMIT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - byNanos > 0) {
                throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
        }
    }
}
