// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Standing;
import dev.tenure.Term;
import java.util.Optional;

/** Where a candidacy is, finer than what users see. Each state has exactly the data that is legal in it. */
public sealed interface ElectionState {
    /** What users see: a standby, unless a state says otherwise. */
    default Standing standing() {
        return new Standing.Standby();
    }

    /** After a grant: its claim is held, or its user code may still run. */
    interface OfTerm {
        Grant grant();
    }

    /** Does not ask for the election now: it waits for its time, or for a session. */
    record BackOff(long untilNanos, ClaimAttempts attempts) implements ElectionState {}

    /** Wants to claim, waits for its turn among the elections of this process. */
    record Ready(ClaimAttempts attempts) implements ElectionState {}

    /** @param hinted a change was seen after this claim was sent: its answer may be older than the change */
    record Claiming(long attempt, Nonce nonce, long sentNanos, ClaimAttempts attempts, boolean hinted)
            implements ElectionState {}

    /** A claim whose outcome is unknown: neither granted nor refused, and it may still be applied. */
    record OutcomeUnknown(Nonce nonce, long untilNanos, ClaimAttempts attempts) implements ElectionState {}

    /** Somebody else leads. */
    record Waiting(Optional<Nonce> place) implements ElectionState {}

    /** Granted; not led before the fences are raised and the predecessor surely stopped. */
    record RaisingFences(Grant grant, long attempt, boolean raised, long notBeforeNanos, long raiseByNanos)
            implements ElectionState, OfTerm {}

    record Leading(Grant grant) implements ElectionState, OfTerm {
        @Override
        public Standing standing() {
            return new Standing.Leading(grant.term);
        }
    }

    record Draining(Grant grant, Loss loss, AfterTerm after, Drain drain) implements ElectionState, OfTerm {
        Draining at(Drain.Stage stage) {
            return new Draining(grant, loss, after, drain.at(stage));
        }

        @Override
        public Standing standing() {
            return new Standing.Draining(grant.term, loss);
        }
    }

    /**
     * The claim was let go although the duty still runs ({@code OverduePolicy.RELEASE}): only the fence protects.
     *
     * @param release the release that was not confirmed yet
     */
    record ReleasedEarly(Grant grant, Loss loss, AfterTerm after, Optional<PendingRelease> release)
            implements ElectionState, OfTerm {
        ReleasedEarly with(Optional<PendingRelease> next) {
            return new ReleasedEarly(grant, loss, after, next);
        }

        @Override
        public Standing standing() {
            return new Standing.Draining(grant.term, loss);
        }
    }

    /** Nothing runs any more; the release is under way, or is sent again at {@code wakeNanos}. */
    record Releasing(String session, Nonce nonce, Standing shown, PendingRelease release, AfterTerm after)
            implements ElectionState {
        Releasing with(PendingRelease next) {
            return new Releasing(session, nonce, shown, next, after);
        }

        @Override
        public Standing standing() {
            return shown;
        }
    }

    record Retired(Loss loss) implements ElectionState {
        @Override
        public Standing standing() {
            return new Standing.Retired(loss);
        }
    }

    /** A term and the session it belongs to: the claim ends with that session, whatever session is open later. */
    record Grant(Term term, String session) {}

    /** How far a drain is; the duty is asked, then interrupted, then overdue. */
    record Drain(Stage stage, long interruptAtNanos, long drainByNanos) {
        enum Stage {
            ASKED,
            INTERRUPTED,
            OVERDUE
        }

        /** Interrupted at half of its time. */
        static Drain by(long drainByNanos, long nowNanos) {
            return new Drain(Stage.ASKED, nowNanos + Math.max(0, drainByNanos - nowNanos) / 2, drainByNanos);
        }

        Drain at(Stage next) {
            return new Drain(next, interruptAtNanos, drainByNanos);
        }

        Drain overdueNotBefore(long nanos) {
            return nanos - drainByNanos > 0 ? new Drain(stage, interruptAtNanos, nanos) : this;
        }
    }

    /**
     * What came of the claims since the last certain answer. At most one of the two nonces is there, and it has to be
     * released in the end.
     *
     * @param place of an entry that stands in the store's queue: a call that failed does not cost the place
     * @param uncertain of a claim that may have been applied, or may still be
     */
    record ClaimAttempts(int failures, Optional<Nonce> place, Optional<Nonce> uncertain) {
        static final ClaimAttempts NONE = at(Optional.empty());

        static ClaimAttempts at(Optional<Nonce> place) {
            return new ClaimAttempts(0, place, Optional.empty());
        }

        ClaimAttempts failed() {
            return new ClaimAttempts(failures + 1, place, uncertain);
        }

        ClaimAttempts unknown(Nonce nonce) {
            return new ClaimAttempts(failures + 1, place, place.isPresent() ? Optional.empty() : Optional.of(nonce));
        }

        boolean keep(Nonce nonce) {
            return place.equals(Optional.of(nonce));
        }

        Optional<Nonce> leftBehind() {
            return place.or(() -> uncertain);
        }
    }

    /** A release: the attempt whose answer counts, and when it is sent again. */
    record PendingRelease(long attempt, long againAtNanos) {}

    /** What comes after the end of a term. */
    sealed interface AfterTerm {
        record StandAgain(long coolDownNanos) implements AfterTerm {}

        record Retire(Loss loss) implements AfterTerm {}
    }
}
