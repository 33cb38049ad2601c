// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.raft;

import dev.tenure.algorithms.Message;

/** The messages of Raft's election. */
public sealed interface RaftMessage extends Message {
    long term();

    /** If I stood for this term, would you vote for me? Changes nothing at anybody. */
    record PreVote(long term, LogPosition last) implements RaftMessage {}

    /** @param term the one that was asked about if the answer is yes, otherwise the one that I am in */
    record PreVoted(long term, boolean granted) implements RaftMessage {}

    /** This node leads this term no longer, or never will though it stood: nobody has to withhold a vote for its sake. */
    record Resigned(long term, int who) implements RaftMessage {}

    record RequestVote(long term, LogPosition last) implements RaftMessage {}

    record Voted(long term, boolean granted) implements RaftMessage {}

    /**
     * From the leader: I lead, and my log ends here.
     *
     * @param sentNanos of the leader's clock; comes back with the answer
     */
    record Append(long term, LogPosition last, long sentNanos) implements RaftMessage {
        @Override
        public boolean isBackground() {
            return true;
        }
    }

    /** @param last how far the sender's log goes now, on the disk */
    record Appended(long term, LogPosition last, long sentNanos) implements RaftMessage {
        @Override
        public boolean isBackground() {
            return true;
        }
    }
}
