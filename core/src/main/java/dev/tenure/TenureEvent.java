// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.time.Duration;
import java.util.Optional;

/**
 * What happened, as typed facts. Each listener gets them in order, one at a time, never on the engine's thread; what
 * {@link Candidacy#standing()} tells is already up to date when the event arrives. A listener that blocks delays only itself, and
 * loses events when 100,000 wait. There is no order between two listeners, nor between a listener and a watch.
 */
public sealed interface TenureEvent {
    /** A session was opened; the TTL is the one that the store granted. */
    record SessionOpened(String session, Duration ttl) implements TenureEvent {}

    /** The session is over, and with it every term that it carried. */
    record SessionLost(String session, String why) implements TenureEvent {}

    /** A store call failed; the engine goes on trying. */
    record StoreError(String doing, String problem, Throwable cause) implements TenureEvent {}

    /** After renewals that failed one was acknowledged; reported to candidates that wait as well as to those that lead. */
    record StoreRecovered() implements TenureEvent {}

    /** This process leads: the claim was granted and every fence is raised. */
    record Elected(Term term) implements TenureEvent {}

    /** Renewals are not acknowledged: without one, the term begins to end when this time has passed. */
    record AtRisk(Term term, Duration untilDrain) implements TenureEvent {}

    /** A renewal was acknowledged again. */
    record RenewalRecovered(Term term) implements TenureEvent {}

    /** The term begins to end: the duty was notified to stop, and why. */
    record DrainBegan(Term term, Loss loss) implements TenureEvent {}

    /** The duty has not ended within its budget. */
    record DrainOverdue(Term term, Loss loss, OverduePolicy action) implements TenureEvent {}

    /** The duty has ended. Nothing of this term runs any more; only now is the claim released. */
    record Lost(Term term, Loss loss) implements TenureEvent {}

    /** A candidacy of this process will not lead again. */
    record Retired(ElectionName election, Loss loss) implements TenureEvent {}

    /** A granted term was not led, because a fence could not be raised or the token was not above the floor. */
    record ClaimAbandoned(Term term, String why) implements TenureEvent {}

    /** Another leader is known than before, in an election that this process stands in or watches. */
    record LeaderChanged(ElectionName election, Optional<Leader> from, Optional<Leader> to) implements TenureEvent {}

    /** What meters need beside the other events. Only listeners of {@link Tenure#onEveryEvent} get it, and nobody else pays for it. */
    sealed interface Detail extends TenureEvent {}

    /** This process stands in an election from now on. */
    record CandidacyBegan(ElectionName election) implements Detail {}

    /**
     * A call of the store is over. A renewal that is not answered in time is unknown; other calls that are never answered are not
     * reported.
     *
     * @param operation {@code open}, {@code renew}, {@code claim}, {@code release}, {@code check} or {@code clear}
     */
    record StoreCalled(String operation, Outcome outcome, Duration took) implements Detail {
        /** How a call of the store has ended. */
        public enum Outcome {
            /** The store has answered, whatever the answer was. */
            ACKNOWLEDGED,
            /** Surely nothing has happened; of a renewal: the session is gone. */
            REFUSED,
            /** It may have happened, or may still happen. */
            UNKNOWN
        }
    }

    /**
     * This process leads.
     *
     * @param failover true if the predecessor did not release by itself
     * @param took since this process noticed that the election may be free, since its own last term, or since it began to stand
     */
    record Handover(ElectionName election, boolean failover, Duration took) implements Detail {}

    /** A duty that was notified to stop has ended. */
    record Drained(ElectionName election, boolean overdue, Duration took) implements Detail {}

    /** The fences of a granted term were raised, or not all of them could be. */
    record FencesRaised(ElectionName election, boolean raised, Duration took) implements Detail {}

    /** A resource refused a token, of a write or of a raise, because it has seen a newer one. */
    record FenceRefused(ElectionName election) implements Detail {}

    /** The loop of this process ran this much later than it had to: a pause of the process or of its machine. */
    record Paused(Duration late) implements Detail {}
}
