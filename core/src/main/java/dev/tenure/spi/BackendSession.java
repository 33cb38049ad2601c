// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The liveness of one process in one store: one heartbeat that carries any number of claims. */
public interface BackendSession {
    /** Names this session in the store. It must never be used for another session. */
    String id();

    /** The TTL that the store granted, which may differ from the one that was asked for. */
    Duration ttl();

    /** The era of the store, as this session has read it last. */
    StoreEra era();

    /**
     * One acknowledged round trip that keeps every claim of this session. A store that keeps one record per election may report
     * single claims as lost.
     */
    CompletionStage<RenewReply> renew();

    /**
     * Asks for an election. A {@link ClaimReply.Granted} proves that the store's record carries the nonce of this very
     * request. Asking again with the nonce of a queued claim keeps its place.
     */
    CompletionStage<ClaimReply> claim(ClaimRequest request);

    /**
     * Gives up whatever this session has in this election: the claim with this nonce, or a place in the queue. Changes
     * nothing if the record belongs to another claim. After it was applied, no earlier claim of this session in this
     * election can take effect any more.
     *
     * <p>The hard part is a claim whose answer did not come: it may be on its way, and the store may apply it after the release. So
     * a backend must remember such claims, and a release that finds one must first take a step after which the store refuses
     * it; only then it looks what is there and removes it. {@link dev.tenure.spi.support.ClaimOrder} remembers these claims and the
     * order of all claims. The step itself depends on the store:
     *
     * <ul>
     *   <li>A store with transactions: every claim compares a key of the session, and the release writes that key anew (etcd).
     *   <li>A store that keeps the order of one connection and refuses what an older connection sent: the release waits for the
     *       answer to any write that it sent behind the claim (ZooKeeper).
     *   <li>A store with one connection for each session: the release goes over the same connection, or closes it (advisory
     *       locks).
     *   <li>A store that compares versions needs nothing of this: a claim expects a version, and the release writes a new one.
     *       Core does so for every {@link LeaseStore}.
     * </ul>
     *
     * <p>If the step gets no answer, the release has failed with an unknown effect, and is repeated by the caller.
     */
    CompletionStage<ReleaseReply> release(ElectionName election, Nonce nonce);

    /**
     * Does the record still carry this term? A linearizable read. The nonce alone does not say so: a duplicate of an old claim
     * that arrives late makes a new record of the same nonce, with another token.
     */
    CompletionStage<Boolean> holds(Term term);

    /**
     * Is the end of a record reported, by {@code changed}, {@code lost} or the next renewal itself, before that renewal is
     * acknowledged? Then nobody asks for it. A session with very many claims may look at some of them with each renewal.
     */
    default boolean pushesClaimLoss() {
        return false;
    }

    /**
     * Makes up for notifications that were lost, by at most one question for all elections: reports by {@code changed} which may
     * have changed since the last call. It changes nothing in the store.
     *
     * @return false if it cannot report that: then every election that waits is asked for again
     */
    default CompletionStage<Boolean> catchUp() {
        return CompletableFuture.completedFuture(false);
    }

    /** Removes an operator's request that was obeyed or is void. */
    CompletionStage<Void> clear(OperatorRequest request);

    /**
     * The caller has given this session up: nothing more may be sent under it, except by {@link #close()}. Called on the
     * loop; does no I/O.
     */
    void abandon();

    /** Ends the session and gives up every claim at once. */
    CompletionStage<Void> close();
}
