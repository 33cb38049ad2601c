// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import dev.tenure.TenureEvent;
import dev.tenure.spi.Host;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tells of trouble with the store once, not at every retry: each problem again after half a minute. Without a store several
 * things fail in turn, each with a problem of its own.
 */
public final class ErrorThrottle {
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Problems may name what differs from time to time; beyond this many they are told anew. */
    private static final int PROBLEMS_MAX = 16;

    private final Console console;
    private final Host host;
    private final Map<String, Long> printedNanos = new HashMap<>();

    public ErrorThrottle(Console console, Host host) {
        this.console = console;
        this.host = host;
    }

    public void print(TenureEvent.StoreError trouble) {
        print(trouble.doing(), trouble.problem());
    }

    public synchronized void print(String doing, String problem) {
        long nowNanos = host.nanos();
        long beforeNanos = printedNanos.getOrDefault(problem, nowNanos - AGAIN_NANOS);
        if (nowNanos - beforeNanos >= AGAIN_NANOS) {
            if (printedNanos.size() >= PROBLEMS_MAX) {
                printedNanos.clear();
            }
            printedNanos.put(problem, nowNanos);
            console.say("store trouble while " + doing + ": " + problem);
        }
    }

    /** The store answers. Says so if there was trouble before, and returns whether it did. */
    public synchronized boolean over() {
        if (printedNanos.isEmpty()) {
            return false;
        }
        printedNanos.clear();
        console.say("the store answers again");
        return true;
    }
}
