// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store;

import dev.tenure.Nonce;

/**
 * What really happened in a store, as nobody inside the world can know it. Checkers compare it with what the processes
 * believe. A process is named by its number; {@link #NOBODY} is the store itself, or fate.
 */
public interface StoreHistory {
    int NOBODY = -1;

    /** The record of a session was created: by its opening, or by a late duplicate of that when it has long been over. */
    void sessionOpened(String session, int process, long ttlNanos, long goodUntilNanos);

    /**
     * A session was opened or renewed.
     *
     * @param goodUntilNanos the first instant of the world at which the store, or a rival with the fastest clock that is
     *     allowed for, may end it
     */
    void sessionLives(String session, int process, long ttlNanos, long goodUntilNanos);

    /** @param by who ended it: its own process, a rival, or nobody (it expired) */
    void sessionEnded(String session, int by);

    /** The store did not keep its word: this session ended, or may be ended, before its time. */
    void sessionBroken(String session);

    /** A claim was written and is held now. */
    void claimed(int election, Nonce nonce, String session, long token, int by);

    /** A claim that lives by itself was written or renewed: nobody may end it before this instant of the world. */
    void claimLives(int election, Nonce nonce, long goodUntilNanos);

    /** A claim was given up, or a place in the queue before it. */
    void vacated(int election, int by);

    /** A claim vanished, or was changed, by no act of a candidate. */
    void claimBroken(int election);

    /** After a restore: this is the claim that stands there now, in an old record. */
    void claimRestored(int election, Nonce nonce);

    /** The store forgot writes that it had acknowledged. */
    void forgot();

    /** The clock that tokens are counted by was set back. */
    void clockWentBack();

    /** A process was answered, and the answer proves that the claim with this nonce is its own. */
    void proved(int process, int election, Nonce nonce, long token);

    /** A process was told of a token by a claim record. */
    void saw(int process, int election, long token);

    /** A process was told that the record does not carry its term any more. */
    void learnedOfLoss(int process, int election);

    /** The answer to a renewal tells a process that this claim is lost. */
    void renewalAcknowledged(int process, int election, Nonce lost);

    /** A process sends a write that gives up a claim of this session. */
    void releasing(int process, int election, String session);

    /** A process sends a claim with this nonce. */
    void claiming(int process, int election, String session, Nonce nonce);

    /** A process comes to know the clock that tokens are counted by, as it was when the store served that. */
    void clockShown(int process, long servedNanos);

    /** A process sends a claim with a token that it has counted itself, by what it knows now. */
    void counted(int process, Nonce nonce, long token);

    /** A process sends something that changes the store. */
    void writing(int process);

    /** A process ends its own session. */
    void leaving(int process, String session);
}
