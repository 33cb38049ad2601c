// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.quorum;

import dev.tenure.algorithms.Message;

/** The messages of the quorum election. Each carries the term it belongs to. */
public sealed interface QuorumMessage extends Message {
    long term();

    /** I stand for this term: vote for me. */
    record Stand(long term) implements QuorumMessage {}

    record Vote(long term) implements QuorumMessage {}

    /** No: this is the term that I am in. */
    record Refuse(long term) implements QuorumMessage {}

    /** I lead this term. Said {@code again} and again, for those who missed it. */
    record Leads(long term, boolean again) implements QuorumMessage {
        @Override
        public boolean isBackground() {
            return again;
        }
    }
}
