// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.bully;

import java.util.Set;

/** Where a node of the bully algorithm stands, and whom its failure detector suspects. */
public record BullyState(Standing standing, Set<Integer> suspected) {
    public sealed interface Standing {}

    /** Nobody has called an election yet. */
    public record Idle() implements Standing {}

    /** Has asked those that outrank it, and waits for an answer. */
    public record Electing() implements Standing {}

    /** Somebody that outranks it has answered; waits for the coordinator. */
    public record Awaiting() implements Standing {}

    public record Following(int leader) implements Standing {}

    public record Leading() implements Standing {}

    BullyState to(Standing next) {
        return new BullyState(next, suspected);
    }
}
