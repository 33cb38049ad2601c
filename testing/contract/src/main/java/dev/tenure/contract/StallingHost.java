package dev.tenure.contract;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Host;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** The real machine, with an I/O executor that a test can stall: whoever waits for it on the calling thread is found out. */
final class StallingHost implements Host {
    private final SystemHost host = SystemHost.start("contract");
    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean stalled;

    synchronized void stall() {
        stalled = true;
    }

    synchronized void goOn() {
        stalled = false;
        held.forEach(host.io()::execute);
        held.clear();
    }

    private synchronized void execute(Runnable task) {
        if (stalled) {
            held.add(task);
        } else {
            host.io().execute(task);
        }
    }

    @Override
    public Executor io() {
        return this::execute;
    }

    @Override
    public long nanos() {
        return host.nanos();
    }

    @Override
    public long wallMillis() {
        return host.wallMillis();
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
    public Signal signal() {
        return host.signal();
    }

    @Override
    public void halt(String why) {
        host.halt(why);
    }

    @Override
    public void shutdown() {
        host.shutdown();
    }
}
