// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.candidate.CandidateProcess;
import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.network.Links;
import java.time.Duration;

/** What a fault can lay its hands on, and what it can wait for. Waiting ends with an exception when patience does. */
public interface FaultContext {
    Duration ttl();

    /** The one that leads now. */
    TermBelief leader();

    CandidateProcess process(TermBelief of);

    Links links(TermBelief of);

    /**
     * kill -9 of its process. A lease outlives its holder and has to be waited for; what hangs on a connection does not, and
     * who is dead believes nothing.
     */
    void kill(TermBelief of) throws InterruptedException;

    /** It was killed; it is started again. */
    void restart(TermBelief killed);

    /** From here on it counts how long there is no leader. */
    void faultBegins();

    /** From now on the store issues tokens from the future. */
    void clockGoesAhead();

    /** Does this to the store, which breaks its word by it. */
    void breach(Deed deed) throws Exception;

    /** Until a write of a later term was accepted. */
    void awaitSuccessor(TermBelief of) throws InterruptedException;

    /** Until this one does not believe in its term any more; how long that may take, the checks say. */
    void awaitDisbelief(TermBelief of) throws InterruptedException;

    /** Until one leads whose renewals are acknowledged by the store as it is now. */
    void awaitLeaderInTouch() throws InterruptedException;

    void letPass(Duration time) throws InterruptedException;

    /** The same for the same seed. */
    boolean tossesACoin();

    /** What may throw anything. */
    interface Deed {
        void run() throws Exception;
    }
}
