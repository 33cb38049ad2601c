// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.paxos;

import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.paxos.PaxosState.Proposal;
import java.util.Optional;

/** The messages of single-decree Paxos. Each belongs to an epoch: every epoch is a decree of its own. */
public sealed interface PaxosMessage extends Message {
    long epoch();

    /** @param before the leader of the epoch before this one: a node that missed that decision has it now */
    record Prepare(long epoch, Ballot ballot, int before) implements PaxosMessage {}

    /** I will accept nothing below this ballot; and this is what I have accepted last. */
    record Promise(long epoch, Ballot ballot, Optional<Proposal> accepted) implements PaxosMessage {}

    record Accept(long epoch, Proposal proposal) implements PaxosMessage {}

    record Accepted(long epoch, Ballot ballot) implements PaxosMessage {}

    /** Not this ballot: I have promised that one. */
    record Nack(long epoch, Ballot ballot, Ballot promised) implements PaxosMessage {}

    /** This one leads the epoch. Said {@code again} and again by the leader, for those who missed it. */
    record Decided(long epoch, int leader, boolean again) implements PaxosMessage {
        @Override
        public boolean isBackground() {
            return again;
        }
    }
}
