package dev.tenure.spi;

import dev.tenure.Grade;
import dev.tenure.Scope;
import java.time.Duration;

/**
 * What a backend is, declared. The contract kit reads it: a case that a backend cannot have is skipped by trait and
 * reported.
 *
 * @param store what operators call it, such as {@code local:/var/lib/x} or {@code etcd 3.5.16}; without secrets
 * @param gradeReason one sentence for people who ask why not A
 * @param ttlStep the store rounds a TTL up to a multiple of this
 * @param guard what a candidate needs beside the store
 */
public record BackendTraits(
        String store,
        Grade grade,
        String gradeReason,
        Scope scope,
        Duration ttlMin,
        Duration ttlMax,
        Duration ttlStep,
        ExpiryJudge judge,
        TokenSource tokens,
        Wakeup wakeup,
        Guard guard) {

    /** Of a store that asks for no more than its grade does. */
    public BackendTraits(
            String store,
            Grade grade,
            String gradeReason,
            Scope scope,
            Duration ttlMin,
            Duration ttlMax,
            Duration ttlStep,
            ExpiryJudge judge,
            TokenSource tokens,
            Wakeup wakeup) {
        this(store, grade, gradeReason, scope, ttlMin, ttlMax, ttlStep, judge, tokens, wakeup, Guard.BY_GRADE);
    }

    /** Who decides that a silent session has ended. */
    public enum ExpiryJudge {
        /** The store removes or marks the session by itself. */
        SERVER_TTL,
        /** A read tells, by the store's own time, whether the record has expired. */
        SERVER_TIME,
        /** Nobody: a challenger times an unchanged version on its own monotonic clock. */
        OBSERVER
    }

    /** Where the sequence of a token comes from. */
    public enum TokenSource {
        /** {@code max(last + 1, the store's clock in milliseconds)}, counted in the claim record. */
        COUNTER,
        /** A revision of the store that never goes back in its normal life. */
        REVISION
    }

    /** How a waiting candidate learns of a release. Every one of them has a poll behind it. */
    public enum Wakeup {
        /** Grants are pushed in the order of a queue. */
        QUEUE,
        /** Changes are notified. */
        WATCH,
        /** Only by polling. */
        POLL
    }

    /** What stands between a leader that is late and what it writes to. */
    public enum Guard {
        /** Grade D wants a fence or an acknowledgement; the others want nothing. */
        BY_GRADE,
        /** A fence, whatever is acknowledged: terms are too short for a duty to stop in time, so none has a drain budget. */
        FENCE
    }
}
