// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import java.time.Duration;
import java.util.Optional;

/** The certain outcomes of a claim. */
public sealed interface ClaimReply {
    /**
     * The record carries this nonce.
     *
     * @param takeover true if the predecessor did not release by itself
     * @param standoff how long the predecessor may still believe that it leads; zero if it surely does not
     */
    record Granted(FencingToken token, Nonce nonce, boolean takeover, Duration standoff) implements ClaimReply {}

    /**
     * Somebody else holds it, or nobody yet.
     *
     * @param holder who, if that is known
     * @param queued true if the store keeps a place in a queue for this nonce and will push the grant
     */
    record Waiting(Optional<Leader> holder, boolean queued) implements ClaimReply {}
}
