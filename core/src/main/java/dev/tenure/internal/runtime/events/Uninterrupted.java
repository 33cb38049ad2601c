// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.events;

import dev.tenure.spi.Host;

/** Waits of bounded length that an interrupt does not cut short. The interrupt is kept for afterwards. */
public final class Uninterrupted {
    private Uninterrupted() {}

    /** Returns whether the signal was set by then. */
    public static boolean await(Host.Signal signal, Host host, long untilNanos) {
        boolean interrupted = false;
        while (!signal.isSet() && host.nanos() - untilNanos < 0) {
            try {
                signal.await(untilNanos - host.nanos());
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return signal.isSet();
    }
}
