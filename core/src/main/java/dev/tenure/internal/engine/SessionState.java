// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

/** Where a session is. Each state has exactly the data that is legal in it. */
public sealed interface SessionState {
    /** Nobody needs a session yet. */
    record Idle() implements SessionState {}

    record Opening(long attempt, long sentNanos, long sentWallMillis, int failures) implements SessionState {}

    /** Waits before it opens again. */
    record Pausing(long untilNanos, int failures) implements SessionState {}

    /** @param failures renewals in a row that were not acknowledged: above zero the session is in doubt */
    record Open(String id, Timing timing, Authority authority, Beat beat, int failures) implements SessionState {
        public boolean inDoubt() {
            return failures > 0;
        }

        public long validUntilNanos() {
            return authority.validUntilNanos();
        }
    }

    record Ended() implements SessionState {}

    /** The renewal: either the next one is planned, or one is under way. */
    sealed interface Beat {
        record Planned(long atNanos) implements Beat {}

        record Sent(long attempt, long sentNanos, long sentWallMillis) implements Beat {}
    }
}
