package dev.tenure.jdbc;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/** A process that differs from others in its wall clock, or in when its calls are carried out. */
final class OddHost implements Host {
    private final Host usual = SystemHost.start("odd");
    private final Duration ahead;
    private final Executor io;

    private OddHost(Duration ahead, Optional<Executor> io) {
        this.ahead = ahead;
        this.io = io.orElseGet(usual::io);
    }

    /** Its clock is wrong. */
    static OddHost ahead(Duration by) {
        return new OddHost(by, Optional.empty());
    }

    /** What it asks of a store is answered before the call returns. */
    static OddHost answeredAtOnce() {
        return new OddHost(Duration.ZERO, Optional.of(Runnable::run));
    }

    @Override
    public long nanos() {
        return usual.nanos();
    }

    @Override
    public long wallMillis() {
        return usual.wallMillis() + ahead.toMillis();
    }

    @Override
    public long random() {
        return usual.random();
    }

    @Override
    public void post(Runnable event) {
        usual.post(event);
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        return usual.wakeAt(nanos, event);
    }

    @Override
    public Work perform(String name, Runnable userCode) {
        return usual.perform(name, userCode);
    }

    @Override
    public void call(Runnable callback) {
        usual.call(callback);
    }

    @Override
    public Executor io() {
        return io;
    }

    @Override
    public Signal signal() {
        return usual.signal();
    }

    @Override
    public void halt(String why) {
        usual.halt(why);
    }

    @Override
    public void shutdown() {
        usual.shutdown();
    }
}
