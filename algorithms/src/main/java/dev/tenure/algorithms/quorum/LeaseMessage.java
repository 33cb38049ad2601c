// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.quorum;

import dev.tenure.algorithms.Message;

/** What {@link LeasedQuorum} says beside the machine that it carries. */
public sealed interface LeaseMessage extends Message {
    long term();

    /**
     * From the leader of this term: withhold your vote from others, from now on.
     *
     * @param sentNanos of its clock; comes back
     */
    record Keep(long term, long sentNanos) implements LeaseMessage {}

    record Kept(long term, long sentNanos) implements LeaseMessage {}

    /** This node leads this term no longer, or never will though it stood. */
    record Left(long term, int who) implements LeaseMessage {}
}
