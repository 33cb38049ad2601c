// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.paxos;

import dev.tenure.algorithms.Durable;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a node of Paxos knows: what it keeps as acceptor, and where it stands as proposer and follower.
 *
 * @param round the highest of any ballot that it has seen in this epoch
 */
public record PaxosState(Saved saved, Standing standing, long round, Set<Integer> suspected) {
    /** Ballot and who shall lead. */
    public record Proposal(Ballot ballot, int leader) {}

    /**
     * The newest decision, and what was promised and accepted for the epoch after it. On the disk before anybody hears of it.
     *
     * @param leader of that epoch; 0 before the first
     */
    public record Saved(long epoch, int leader, Ballot promised, Optional<Proposal> accepted) implements Durable {
        static Saved decided(long epoch, int leader) {
            return new Saved(epoch, leader, Ballot.NONE, Optional.empty());
        }
    }

    public sealed interface Standing {}

    /** Will propose itself when its time has run out. */
    public record Waiting(int tries) implements Standing {}

    public record Preparing(Ballot ballot, Map<Integer, Optional<Proposal>> promises, int tries) implements Standing {}

    public record Accepting(Proposal proposal, Set<Integer> accepted, int tries) implements Standing {}

    public record Following(int leader) implements Standing {}

    public record Leading() implements Standing {}

    PaxosState to(Standing next) {
        return new PaxosState(saved, next, round, suspected);
    }

    PaxosState with(Saved next) {
        return new PaxosState(next, standing, Math.max(round, next.promised().round()), suspected);
    }

    /** The epoch that is still open. */
    long open() {
        return saved.epoch() + 1;
    }

    int tries() {
        if (standing instanceof Waiting waiting) {
            return waiting.tries();
        }
        if (standing instanceof Preparing preparing) {
            return preparing.tries();
        }
        return standing instanceof Accepting accepting ? accepting.tries() : 0;
    }
}
