// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import dev.tenure.contract.AlteredHost;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A host whose monotonic clock can be put forward, so that no test depends on how long it takes itself. */
final class ClockHost extends AlteredHost {
    private final AtomicLong aheadNanos = new AtomicLong();

    void advance(Duration time) {
        aheadNanos.addAndGet(time.toNanos());
    }

    @Override
    public long nanos() {
        return super.nanos() + aheadNanos.get();
    }

    @Override
    public Timer wakeAt(long nanos, Runnable event) {
        return super.wakeAt(nanos - aheadNanos.get(), event);
    }
}
