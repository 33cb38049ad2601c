// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.contract.AlteredHost;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/** A process that differs from others in its wall clock, or in when its calls are carried out. */
final class OddHost extends AlteredHost {
    private final Duration ahead;
    private final Optional<Executor> io;

    private OddHost(Duration ahead, Optional<Executor> io) {
        this.ahead = ahead;
        this.io = io;
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
    public long wallMillis() {
        return super.wallMillis() + ahead.toMillis();
    }

    @Override
    public Executor io() {
        return io.orElseGet(super::io);
    }
}
