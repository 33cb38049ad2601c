// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.contract.AlteredHost;

/** A test sets its wall clock. */
final class WallHost extends AlteredHost {
    volatile long wallMillis = 1_800_000_000_000L;

    @Override
    public long wallMillis() {
        return wallMillis;
    }

    @Override
    public void halt(String why) {
        throw new AssertionError(why);
    }
}
