// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import dev.tenure.spi.Host;
import java.util.concurrent.Executor;

/** A host whose clocks stand still: for what is read from many threads. It runs nothing. */
public final class StillHost implements Host {
    public static final long NANOS = 1_000_000_000_000L;
    public static final long WALL = 1_750_000_000_000L;

    @Override
    public long nanos() {
        return NANOS;
    }

    @Override
    public long wallMillis() {
        return WALL;
    }

    @Override
    public long random() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void post(Runnable event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Work runDuty(String name, Runnable userCode) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void runCallback(Runnable callback) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void runFinalCallback(Runnable callback) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Executor io() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Signal signal() {
        return new Signal() {
            private volatile boolean set;

            @Override
            public void set() {
                set = true;
            }

            @Override
            public boolean isSet() {
                return set;
            }

            @Override
            public boolean await(long nanos) {
                return set;
            }
        };
    }

    @Override
    public void halt(String why) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {
        throw new UnsupportedOperationException();
    }
}
