// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store;

import org.jspecify.annotations.Nullable;

/** What ails a store as a whole, for a while. */
public final class StoreHealth {
    private boolean silent;
    private boolean failing;
    private boolean readOnly;
    private boolean slow;

    public void silence() {
        silent = true;
    }

    public void fail() {
        failing = true;
    }

    public void refuseWrites() {
        readOnly = true;
    }

    public void slowDown() {
        slow = true;
    }

    public void heal() {
        silent = false;
        failing = false;
        readOnly = false;
        slow = false;
    }

    public boolean isSilent() {
        return silent;
    }

    boolean isSlow() {
        return slow;
    }

    /** With what it answers instead of serving, if it does. */
    @Nullable
    Throwable refusal(boolean writes) {
        if (failing) {
            return Injected.UNREACHABLE;
        }
        return readOnly && writes ? Injected.READ_ONLY : null;
    }
}
