// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import dev.tenure.algorithms.Message;
import java.util.List;

/** What travels around the rings. */
public sealed interface RingMessage extends Message {
    /** Of the list algorithm: everybody on the way writes its id behind those of the others. */
    record Roll(List<Integer> ids) implements RingMessage {
        public Roll {
            ids = List.copyOf(ids);
        }
    }

    /** Of Chang and Roberts: this id stands. */
    record Bid(int id) implements RingMessage {}

    /**
     * Of Hirschberg and Sinclair: this id asks its neighbourhood of 2^phase nodes on that side.
     *
     * @param hop how many links it has passed, this one included
     */
    record Probe(int id, int phase, int hop, Side towards) implements RingMessage {}

    /** Of Hirschberg and Sinclair: nobody in that neighbourhood outranks this id. */
    record Reply(int id, int phase, Side towards) implements RingMessage {}

    /**
     * Of all of them: this one leads.
     *
     * @param origin who has sent it on its way, and takes it off the ring again
     */
    record Elected(int leader, int origin) implements RingMessage {}

    /** A direction on the ring. */
    enum Side {
        AFTER,
        BEFORE;

        Side opposite() {
            return this == AFTER ? BEFORE : AFTER;
        }
    }
}
