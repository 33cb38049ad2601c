// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import java.time.Duration;
import java.util.List;

/** The certain outcomes of a renewal. */
public sealed interface RenewReply {
    /**
     * Every claim of the session is kept for this TTL, except those that are lost.
     *
     * <p>A store with one record per election keeps each claim by a write of its own. Such a backend reports a claim as lost if
     * its record carries another nonce or is gone. If the outcome of a single write is unknown, the outcome of the whole
     * renewal is unknown: the future must fail then.
     *
     * @param lostClaims the engine revokes them before it publishes the new deadline
     */
    record Renewed(Duration ttl, List<LostClaim> lostClaims) implements RenewReply {
        /** Copies the list. */
        public Renewed {
            lostClaims = List.copyOf(lostClaims);
        }

        /** Every claim of the session is kept. */
        public Renewed(Duration ttl) {
            this(ttl, List.of());
        }
    }

    /** A claim whose record does not carry this nonce any more. */
    record LostClaim(ElectionName election, Nonce nonce) {}

    /** The store says that the session does not exist any more: every claim of it is lost. */
    record Gone(String why) implements RenewReply {}
}
