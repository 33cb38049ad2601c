// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Host;
import java.util.concurrent.Executor;

/** The real machine, but for what a test overrides. */
public abstract class AlteredHost implements Host {
    private final Host real = SystemHost.start("altered");

    @Override
    public long nanos() {
        return real.nanos();
    }

    @Override
    public long wallMillis() {
        return real.wallMillis();
    }

    @Override
    public long random() {
        return real.random();
    }

    @Override
    public void post(Runnable event) {
        real.post(event);
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        return real.wakeAt(nanos, event);
    }

    @Override
    public Work runDuty(String name, Runnable userCode) {
        return real.runDuty(name, userCode);
    }

    @Override
    public void runCallback(Runnable callback) {
        real.runCallback(callback);
    }

    @Override
    public void runFinalCallback(Runnable callback) {
        real.runFinalCallback(callback);
    }

    @Override
    public Executor io() {
        return real.io();
    }

    @Override
    public Signal signal() {
        return real.signal();
    }

    @Override
    public void halt(String why) {
        real.halt(why);
    }

    @Override
    public void shutdown() {
        real.shutdown();
    }
}
