// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/** How far the exclusion of a backend reaches. */
public enum Scope {
    /** All processes of one user account on one machine. */
    USER,
    /** All processes on one machine. */
    MACHINE,
    /** All processes that use the same store, on any machine. */
    CLUSTER;

    /** Does this scope reach as far as the required one, or farther? */
    public boolean isAtLeast(Scope required) {
        return ordinal() >= required.ordinal();
    }
}
