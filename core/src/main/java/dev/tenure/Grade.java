// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/** What a backend can promise. A fence at the resource lifts every grade to "no stale write"; nothing else does. */
public enum Grade {
    /** At most one believes that it leads while clock rates differ by less than ε; tokens never repeat. */
    A,
    /** As A, as long as the store commits a claim to a standby before it acknowledges it. */
    B,
    /** Usually: a failover may shorten a lease and may bring a token back, which floor and nonce then refuse. */
    C,
    /** Best effort: the store itself may end a lease or forget a token. Needs a fence or an explicit acknowledgement. */
    D;

    /** Does this grade promise as much as the required one, or more? */
    public boolean isAtLeast(Grade required) {
        return ordinal() <= required.ordinal();
    }
}
