// SPDX-License-Identifier: Apache-2.0
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
 * @param liveness what one write of a renewal keeps
 * @param fenceRequirement what a candidate needs beside the store
 * @param members how many servers of the store vote, of which more than half must be alive; 0 if that is not known
 */
public record BackendTraits(
        String store,
        Grade grade,
        String gradeReason,
        Scope scope,
        Duration ttlMin,
        Duration ttlMax,
        Duration ttlStep,
        ExpiryDetection expiry,
        TokenSource tokens,
        Wakeup wakeup,
        Liveness liveness,
        FenceRequirement fenceRequirement,
        int members) {

    /** Most stores are built by {@link #of}: there each property has its name. */
    public BackendTraits {
        if (ttlMin.compareTo(ttlMax) > 0 || ttlMin.isNegative() || ttlMin.isZero()) {
            throw new IllegalArgumentException("ttl " + ttlMin + " to " + ttlMax + " is no range");
        }
        if (members < 0) {
            throw new IllegalArgumentException("a store cannot have " + members + " members");
        }
    }

    /**
     * Begins the traits of a store. What is not said is the least that a store can promise: grade D within one user account, expiry
     * judged by observers, counted tokens, and polling.
     */
    public static Builder of(String store) {
        return new Builder(store);
    }

    /** Begins the traits of the same store, of which some have turned out to be different. */
    public Builder change() {
        return new Builder(store)
                .grade(grade, gradeReason)
                .scope(scope)
                .ttl(ttlMin, ttlMax)
                .ttlStep(ttlStep)
                .expiry(expiry)
                .tokens(tokens)
                .wakeup(wakeup)
                .liveness(liveness)
                .fenceRequirement(fenceRequirement)
                .members(members);
    }

    /**
     * One sentence for people whose store survives fewer failures than they may think. Empty if its members are not known,
     * or if they are an odd number from three on.
     */
    public String survival() {
        if (members == 1) {
            return "The store has a single member: it does not survive the failure of that one.";
        }
        if (members == 2) {
            return "The store has 2 members: it does not survive the failure of one.";
        }
        boolean even = members > 0 && members % 2 == 0;
        int failures = (members - 1) / 2;
        return even
                ? "The store has " + members + " members: it survives the failure of " + failures + ", as "
                        + (members - 1) + " would."
                : "";
    }

    /** The party that decides that a silent session has ended. */
    public enum ExpiryDetection {
        /** The store removes or marks the session by itself. */
        SERVER_TTL,
        /** A read shows, by the store's own time, whether the record has expired. */
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

    /** What one write of a renewal keeps. */
    public enum Liveness {
        /** The session, with any number of claims. */
        SESSION,
        /** One claim: a process that holds many elections writes as often. */
        CLAIM
    }

    /** What stands between a leader that is late and what it writes to. */
    public enum FenceRequirement {
        /** Grade D wants a fence or an acknowledgement; the others want nothing. */
        BY_GRADE,
        /** A fence, whatever is acknowledged: terms are too short for a duty to stop in time, so none has a drain budget. */
        FENCE
    }

    /** Names each property. Not for two threads at once. */
    public static final class Builder {
        private final String store;
        private Grade grade = Grade.D;
        private String gradeReason = "the store does not say what it promises";
        private Scope scope = Scope.USER;
        private Duration ttlMin = Duration.ofSeconds(1);
        private Duration ttlMax = Duration.ofHours(1);
        private Duration ttlStep = Duration.ofMillis(1);
        private ExpiryDetection expiry = ExpiryDetection.OBSERVER;
        private TokenSource tokens = TokenSource.COUNTER;
        private Wakeup wakeup = Wakeup.POLL;
        private Liveness liveness = Liveness.SESSION;
        private FenceRequirement fenceRequirement = FenceRequirement.BY_GRADE;
        private int members;

        private Builder(String store) {
            this.store = store;
        }

        /** What the store can promise, and one sentence for people who ask why not A. */
        public Builder grade(Grade value, String reason) {
            grade = value;
            gradeReason = reason;
            return this;
        }

        /** How far the exclusion reaches. */
        public Builder scope(Scope value) {
            scope = value;
            return this;
        }

        /** The range of TTLs that the store can keep. */
        public Builder ttl(Duration min, Duration max) {
            ttlMin = min;
            ttlMax = max;
            return this;
        }

        /** The store rounds a TTL up to a multiple of this. */
        public Builder ttlStep(Duration value) {
            ttlStep = value;
            return this;
        }

        /** The party that decides that a silent session has ended. */
        public Builder expiry(ExpiryDetection value) {
            expiry = value;
            return this;
        }

        /** Where the sequence of a token comes from. */
        public Builder tokens(TokenSource value) {
            tokens = value;
            return this;
        }

        /** How a waiting candidate learns of a release. */
        public Builder wakeup(Wakeup value) {
            wakeup = value;
            return this;
        }

        /** What keeps a claim alive: the session for all of them, or each claim by itself. */
        public Builder liveness(Liveness value) {
            liveness = value;
            return this;
        }

        /** What a candidate needs beside the store. */
        public Builder fenceRequirement(FenceRequirement value) {
            fenceRequirement = value;
            return this;
        }

        /** How many servers of the store vote; 0 if that is not known. */
        public Builder members(int count) {
            members = count;
            return this;
        }

        /** The traits; {@link IllegalArgumentException} if they contradict each other. */
        public BackendTraits build() {
            return new BackendTraits(
                    store,
                    grade,
                    gradeReason,
                    scope,
                    ttlMin,
                    ttlMax,
                    ttlStep,
                    expiry,
                    tokens,
                    wakeup,
                    liveness,
                    fenceRequirement,
                    members);
        }
    }
}
