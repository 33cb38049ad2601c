// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.raft;

import dev.tenure.algorithms.Durable;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a node of Raft knows.
 *
 * @param heardNanos when it last heard a leader, or gave its vote, or began
 */
public record RaftState(Saved saved, Role role, long heardNanos) {
    /** What is on the disk before anybody hears of it. */
    public record Saved(long term, Optional<Integer> vote, LogPosition last) implements Durable {
        Saved at(LogPosition position) {
            return new Saved(term, vote, position);
        }
    }

    public sealed interface Role {}

    public record Follower(Optional<Integer> leader) implements Role {}

    public record PreCandidate(Set<Integer> votes) implements Role {}

    /** @param sinceNanos when it began to stand */
    public record Candidate(Set<Integer> votes, long sinceNanos) implements Role {}

    /**
     * @param answers the newest of each peer
     * @param untilNanos the end of its lease
     * @param committed how far a majority has the log
     */
    public record Leader(Map<Integer, Answer> answers, long untilNanos, LogPosition committed) implements Role {}

    /** @param sentNanos when the message was sent that this answers */
    public record Answer(LogPosition last, long sentNanos) {}

    public long term() {
        return saved.term();
    }

    RaftState to(Role next) {
        return new RaftState(saved, next, heardNanos);
    }

    RaftState heard(long nowNanos) {
        return new RaftState(saved, role, nowNanos);
    }

    RaftState with(Saved next) {
        return new RaftState(next, role, heardNanos);
    }
}
