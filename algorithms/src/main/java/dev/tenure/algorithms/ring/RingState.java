// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import dev.tenure.algorithms.ring.RingMessage.Side;
import java.util.Set;

/** Where a node on a ring stands, and whom its failure detector suspects. */
public record RingState(Standing standing, Set<Integer> suspected) {
    public sealed interface Standing {}

    /** Nobody has called an election yet. */
    public record Idle() implements Standing {}

    /** Takes part in an election and waits for its end. */
    public record Electing() implements Standing {}

    /** Of Hirschberg and Sinclair only: stands, and has been answered from these sides in this phase. */
    public record Candidate(int phase, Set<Side> answered) implements Standing {}

    public record Following(int leader) implements Standing {}

    public record Leading() implements Standing {}

    RingState to(Standing next) {
        return new RingState(next, suspected);
    }

    boolean isBusy() {
        return standing instanceof Electing || standing instanceof Candidate;
    }

    boolean isLeading() {
        return standing instanceof Leading;
    }
}
