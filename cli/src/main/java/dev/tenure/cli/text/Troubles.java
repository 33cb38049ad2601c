package dev.tenure.cli.text;

import dev.tenure.TenureEvent;
import dev.tenure.spi.Host;
import java.util.concurrent.TimeUnit;

/** Tells of trouble with the store once, not at every retry: again when it changes, or after half a minute. */
public final class Troubles {
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Console console;
    private final Host host;
    private String told = "";
    private long toldNanos;

    public Troubles(Console console, Host host) {
        this.console = console;
        this.host = host;
    }

    public synchronized void tell(TenureEvent.StoreTrouble trouble) {
        long nowNanos = host.nanos();
        boolean known = trouble.problem().equals(told) && nowNanos - toldNanos < AGAIN_NANOS;
        if (!known) {
            told = trouble.problem();
            toldNanos = nowNanos;
            console.say("store trouble while " + trouble.doing() + ": " + trouble.problem());
        }
    }

    /** The store answers. Says so if there was trouble before. */
    public synchronized void over() {
        if (!told.isEmpty()) {
            told = "";
            console.say("the store answers again");
        }
    }

    /** What was told last, or nothing. */
    public synchronized String last() {
        return told;
    }
}
