// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.Loss;
import dev.tenure.spi.ClaimReply;

/** What can happen to a candidacy. Replies carry the attempt they answer; stale ones do not reach the machine. */
public sealed interface ElectionEvent {
    record SessionOpened() implements ElectionEvent {}

    record SessionLost(String session, Loss loss) implements ElectionEvent {}

    /** Time has passed, or the session was renewed. */
    record Tick() implements ElectionEvent {}

    /** Its turn to claim has come. */
    record Admitted() implements ElectionEvent {}

    /** The store may have changed. */
    record Hinted() implements ElectionEvent {}

    /** Time to ask again: a notification may be lost, or the process has rested for others and one of them leads. */
    record Poll() implements ElectionEvent {}

    /**
     * @param floor the highest token this process knows of for the election
     * @param inReach could a store that counts from below the floor be brought above it by this process?
     */
    record Granted(ClaimReply.Granted grant, long floor, boolean inReach) implements ElectionEvent {
        public Granted(ClaimReply.Granted grant, long floor) {
            this(grant, floor, true);
        }
    }

    record MustWait(boolean queued) implements ElectionEvent {}

    /** @param unknown the claim may have been applied, or may still be */
    record ClaimFailed(boolean unknown) implements ElectionEvent {}

    record FencesRaised() implements ElectionEvent {}

    record FenceFailed(String why) implements ElectionEvent {}

    /** The duty is over: by itself with this result, or because it was notified to stop. */
    record DutyEnded(Loss result) implements ElectionEvent {}

    /** The term shall end, or the candidacy retire. */
    record EndWanted(Loss loss) implements ElectionEvent {}

    record Released() implements ElectionEvent {}

    record ReleaseFailed() implements ElectionEvent {}
}
