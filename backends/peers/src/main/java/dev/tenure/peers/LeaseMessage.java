package dev.tenure.peers;

import dev.tenure.algorithms.Message;

/** What {@link Leased} says beside the machine that it carries. */
sealed interface LeaseMessage extends Message {
    long term();

    long sentNanos();

    /** From the leader of this term: withhold your vote from others, from now on. @param sentNanos of its clock; comes back */
    record Keep(long term, long sentNanos) implements LeaseMessage {}

    record Kept(long term, long sentNanos) implements LeaseMessage {}

    /** From the leader of this term: I lead no longer, and have stopped to believe so. */
    record Left(long term, long sentNanos) implements LeaseMessage {}
}
