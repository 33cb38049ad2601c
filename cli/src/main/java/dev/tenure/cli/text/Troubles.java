package dev.tenure.cli.text;

import dev.tenure.TenureEvent;
import dev.tenure.spi.Host;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tells of trouble with the store once, not at every retry: each problem again after half a minute. Without a store several
 * things fail in turn, each with a problem of its own.
 */
public final class Troubles {
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Problems may name what differs from time to time; beyond this many they are told anew. */
    private static final int PROBLEMS_MAX = 16;

    private final Console console;
    private final Host host;
    private final Map<String, Long> toldNanos = new HashMap<>();

    public Troubles(Console console, Host host) {
        this.console = console;
        this.host = host;
    }

    public synchronized void tell(TenureEvent.StoreTrouble trouble) {
        long nowNanos = host.nanos();
        long beforeNanos = toldNanos.getOrDefault(trouble.problem(), nowNanos - AGAIN_NANOS);
        if (nowNanos - beforeNanos >= AGAIN_NANOS) {
            if (toldNanos.size() >= PROBLEMS_MAX) {
                toldNanos.clear();
            }
            toldNanos.put(trouble.problem(), nowNanos);
            console.say("store trouble while " + trouble.doing() + ": " + trouble.problem());
        }
    }

    /** The store answers. Says so if there was trouble before, and returns whether it did. */
    public synchronized boolean over() {
        if (toldNanos.isEmpty()) {
            return false;
        }
        toldNanos.clear();
        console.say("the store answers again");
        return true;
    }
}
