// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.Nonce;

/** What the machines may not make up themselves: numbers that were never used before, and chance. */
public interface IdSource {
    long attempt();

    Nonce nonce();

    /** A random number of nanoseconds below this. */
    long jitter(long nanosMax);
}
