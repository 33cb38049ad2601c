// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.Nonce;

/** Fresh numbers that a test can foretell: attempts 101, 102, …; nonces 0:1, 0:2, …; the jitter is what the test says. */
final class Numbers implements IdSource {
    long jitterNanos;
    private long attempts = 100;
    private long nonces;

    @Override
    public long attempt() {
        return ++attempts;
    }

    @Override
    public Nonce nonce() {
        return new Nonce(0, ++nonces);
    }

    @Override
    public long jitter(long nanosMax) {
        return Math.min(jitterNanos, Math.max(0, nanosMax - 1));
    }
}
