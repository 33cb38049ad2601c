// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.ElectionName;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The session door: for stores that have sessions of their own.
 *
 * <p>For every method: it never blocks the caller, never retries, and may complete its stage on any thread. A stage has
 * three outcomes: a reply (applied, or refused), {@link BackendException} with {@link BackendException.Effect#NONE}
 * (refused for sure), or any other exception, which means unknown.
 */
public non-sealed interface Backend extends StoreBinding {
    /**
     * Opens a session. The TTL in the session is the one the store granted. The caller counts its authority from before
     * this call.
     */
    CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events);

    /** A linearizable look at one election. */
    CompletionStage<Observation> read(ElectionName election);

    /** Every election that the store knows, in no order. */
    CompletionStage<List<Observation>> list();

    /** Hints that an election may have changed; they may be late, doubled or lost. */
    Watch watch(Consumer<ElectionName> changed);

    /** Leaves a request for the holder of a term. Replaces an earlier one for the same election. */
    CompletionStage<Void> request(OperatorRequest request);

    /** The store's identity and era. Creates both at the first use. */
    CompletionStage<StoreEra> era();

    /** Raises the era to at least this; never lowers it. */
    CompletionStage<StoreEra> raiseEra(int atLeast);
}
