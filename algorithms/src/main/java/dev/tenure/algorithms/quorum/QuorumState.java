// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.quorum;

import dev.tenure.algorithms.Durable;
import java.util.Optional;
import java.util.Set;

/** What a node of the quorum election knows: its ballot, where it stands, and whom its failure detector suspects. */
public record QuorumState(Ballot ballot, Standing standing, Set<Integer> suspected) {
    /**
     * The term that a node is in and whom it has voted for in it. Durable, for a node that forgot it could vote twice.
     */
    public record Ballot(long term, Optional<Integer> vote) implements Durable {}

    public sealed interface Standing {}

    /** Knows of no leader, and will stand when its time has run out. */
    public record Waiting() implements Standing {}

    public record Candidate(Set<Integer> votes) implements Standing {}

    public record Following(int leader) implements Standing {}

    public record Leading() implements Standing {}

    QuorumState to(Standing next) {
        return new QuorumState(ballot, next, suspected);
    }

    QuorumState to(Ballot next, Standing standing) {
        return new QuorumState(next, standing, suspected);
    }
}
