package dev.tenure.local;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Host;
import java.util.concurrent.Executor;

/** The real host with a wall clock that a test sets. */
final class WallHost implements Host {
    volatile long wallMillis = 1_800_000_000_000L;
    private final SystemHost host = SystemHost.start("test");

    @Override
    public long nanos() {
        return host.nanos();
    }

    @Override
    public long wallMillis() {
        return wallMillis;
    }

    @Override
    public long random() {
        return host.random();
    }

    @Override
    public void post(Runnable event) {
        host.post(event);
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        return host.wakeAt(nanos, event);
    }

    @Override
    public Work perform(String name, Runnable userCode) {
        return host.perform(name, userCode);
    }

    @Override
    public void call(Runnable callback) {
        host.call(callback);
    }

    @Override
    public Executor io() {
        return host.io();
    }

    @Override
    public Signal signal() {
        return host.signal();
    }

    @Override
    public void halt(String why) {
        throw new AssertionError(why);
    }

    @Override
    public void shutdown() {
        host.shutdown();
    }
}
