package dev.tenure.spi;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The liveness of one process in one store: one heartbeat that carries any number of claims. */
public interface BackendSession {
    String id();

    /** The TTL that the store granted, which may differ from the one that was asked for. */
    Duration ttl();

    StoreEra era();

    /** One acknowledged round trip that keeps every claim of this session. */
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
     */
    CompletionStage<ReleaseReply> release(ElectionName election, Nonce nonce);

    /**
     * Does the record still carry this term? A linearizable read. The nonce alone does not say so: a duplicate of an old claim
     * that arrives late makes a new record of the same nonce, with another token.
     */
    CompletionStage<Boolean> holds(Term term);

    /**
     * Is the end of a record told, by {@code changed} or {@code lost}, before the next renewal is acknowledged? Then nobody
     * asks for it.
     */
    default boolean tellsOfLoss() {
        return false;
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
