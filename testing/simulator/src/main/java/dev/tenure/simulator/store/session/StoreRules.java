// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

/**
 * The rules by which a kind of store with sessions counts: what it grants, when it ends a session, and what becomes of both
 * when another of its servers takes the lead. Times are on the store's clock.
 */
public interface StoreRules {
    /**
     * What came of asking for a session.
     *
     * @param ttlNanos what its holder may rely on
     * @param timeoutNanos after how long a silence the store may end it
     */
    record Lifetime(long ttlNanos, long timeoutNanos) {}

    Lifetime grant(long wantedNanos);

    /** When it really ends a session whose time is up then: at once, or in its next round. */
    default long endsAtNanos(long dueNanos) {
        return dueNanos;
    }

    /** How long a sign of life may lie at the server that took it, before the one that judges hears of it. */
    default long touchDelayNanosMax() {
        return 0;
    }

    /** Does one of its servers lead the others, and judge sessions alone? */
    default boolean hasLeader() {
        return false;
    }

    /** What a new leader adds to the full lifetime that it gives to every session. */
    default long extensionNanos() {
        return 0;
    }

    /** The revision that a new leader counts from. */
    default long revisionOfNewLeader(long revision) {
        return revision;
    }

    /** May the place of an election vanish while nobody stands there? */
    default boolean removesEmptyElections() {
        return false;
    }

    /** May the renewal of a session that is over be acknowledged? */
    default boolean renewsTheDead() {
        return false;
    }

    /** May a look that follows a notification show what stood when that was sent, and nothing later? */
    default boolean showsWhatItNotifiedOf() {
        return false;
    }

    /** Can a successor tell that a claim went with a session which its owner closed, from one whose time was up? */
    default boolean distinguishesClosing() {
        return true;
    }

    /** Does each claim live by itself, so that a renewal writes the record of each? */
    default boolean livesPerClaim() {
        return false;
    }

    /** Each claim lives by itself; no quirks else. */
    static StoreRules perClaim() {
        return new StoreRules() {
            @Override
            public Lifetime grant(long wantedNanos) {
                return plain().grant(wantedNanos);
            }

            @Override
            public boolean livesPerClaim() {
                return true;
            }
        };
    }

    /**
     * Consul, as our backend uses it. A session may be silent for twice its TTL before it is ended. Only the leader of the
     * servers counts, in its memory, so that a new one gives every session its full time again. Tokens are indexes of the
     * Raft log, which do not care who leads.
     */
    record Consul() implements StoreRules {
        @Override
        public Lifetime grant(long wantedNanos) {
            return new Lifetime(wantedNanos, 2 * wantedNanos);
        }

        @Override
        public boolean hasLeader() {
            return true;
        }

        @Override
        public boolean distinguishesClosing() {
            return false;
        }
    }

    /** No quirks: what is asked for is granted, to the nanosecond. */
    static StoreRules plain() {
        return wantedNanos -> new Lifetime(wantedNanos, wantedNanos);
    }
}
