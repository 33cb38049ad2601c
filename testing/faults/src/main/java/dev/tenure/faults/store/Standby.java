// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

import java.time.Duration;

/** A second server that follows the primary, and an operator who lets it take over. */
public interface Standby {
    /** What the primary writes from now on, this one does not get. */
    void cutOff() throws Exception;

    /**
     * The primary is gone for good, and this one serves with what it has.
     *
     * @param clockAhead of its clock, before the one that the primary had; may be negative
     */
    void promote(Duration clockAhead) throws Exception;

    /** Can its clock differ from that of the primary? */
    default boolean hasItsOwnClock() {
        return true;
    }

    /** After {@link #promote}: its clock is right, and a new one follows it, up to date. */
    void repair() throws Exception;
}
