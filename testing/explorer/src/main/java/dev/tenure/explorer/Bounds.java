// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

import dev.tenure.OverduePolicy;
import dev.tenure.explorer.encoding.CanonicalEncoder;
import dev.tenure.explorer.model.ModelWorld;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How large the explored world is. Time is not bounded, because only differences of times make a state.
 *
 * @param faultsMax how many faults a history has at most, of all kinds together
 * @param inFlightMax messages of one node that are under way at once; what is sent beyond is lost
 * @param tokensMax the highest token that is issued
 * @param overdue what becomes of a claim whose duty does not end within its drain budget
 * @param statesMax where to stop, and to say so
 * @param brokenRule a rule that is broken on purpose
 */
public record Bounds(
        String name,
        ClaimOrdering claimOrdering,
        int nodes,
        int faultsMax,
        Set<ModelFault> faults,
        int inFlightMax,
        int tokensMax,
        OverduePolicy overdue,
        int statesMax,
        Optional<BrokenRule> brokenRule) {

    /** How a store gives an election to the next one. */
    public enum ClaimOrdering {
        /** No node is notified: a store that compares and sets, and a record that the first node to come takes. */
        LEASE,
        /** The store keeps the order in which claims came, and tells who has come to the front. */
        QUEUE
    }

    public Bounds {
        faults = Set.copyOf(faults);
        if (nodes < 1 || nodes > CanonicalEncoder.NODES_MAX) {
            throw new IllegalArgumentException(nodes + " nodes cannot be explored: 1 to " + CanonicalEncoder.NODES_MAX);
        }
        if (tokensMax < 1 || tokensMax > CanonicalEncoder.TOKENS_MAX) {
            throw new IllegalArgumentException(
                    tokensMax + " tokens cannot be explored: 1 to " + CanonicalEncoder.TOKENS_MAX);
        }
    }

    /** Worlds that are explored to the end in seconds, and that together meet every state of both machines. */
    public static List<Bounds> standard() {
        return List.of(
                of("two nodes, nothing goes wrong", 2, 0).tokens(4),
                of("three nodes, nothing goes wrong", 3, 0).tokens(1),
                of("two nodes, a crash, a stopped loop or a lost message", 2, 1)
                        .with(ModelFault.CRASH, ModelFault.STUCK, ModelFault.LOSS)
                        .tokens(1),
                of("two nodes, a clock, a session or a call fails, or one is closed", 2, 1)
                        .with(
                                ModelFault.SLIP,
                                ModelFault.SUSPEND,
                                ModelFault.REVOKE,
                                ModelFault.UNREACHABLE,
                                ModelFault.CLOSE)
                        .tokens(2),
                of("two nodes, two calls of unknown outcome, or one is closed", 2, 2)
                        .with(ModelFault.LOSS, ModelFault.CLOSE)
                        .tokens(1),
                of("two nodes, a message comes late or twice", 2, 1)
                        .with(ModelFault.LATE, ModelFault.DUPLICATE)
                        .tokens(1),
                of("two nodes, an overdue duty loses its claim", 2, 1)
                        .with(ModelFault.CLOSE, ModelFault.LOSS, ModelFault.REVOKE)
                        .tokens(1)
                        .releasingOverdue(),
                of("two nodes in a queue, a message or a session is lost", 2, 1)
                        .queued()
                        .with(ModelFault.LOSS, ModelFault.REVOKE)
                        .tokens(2),
                of("two nodes in a queue, two calls fail, or one is closed", 2, 2)
                        .queued()
                        .with(ModelFault.UNREACHABLE, ModelFault.CLOSE)
                        .tokens(1));
    }

    /** Worlds of millions of states, for when there are minutes and gigabytes. */
    public static List<Bounds> deep() {
        return List.of(
                of("two nodes, any fault but restore", 2, 1)
                        .with(ModelFault.LATE, ModelFault.allBut(ModelFault.RESTORE))
                        .tokens(3),
                of("two nodes, two crashes, stopped loops or lost messages", 2, 2)
                        .with(ModelFault.CRASH, ModelFault.STUCK, ModelFault.LOSS)
                        .tokens(2),
                of("two nodes, three times a clock or a message fails", 2, 3)
                        .with(ModelFault.SLIP, ModelFault.SUSPEND, ModelFault.LOSS)
                        .tokens(2),
                of("two nodes, the store goes back", 2, 1)
                        .with(ModelFault.RESTORE)
                        .tokens(2),
                of("three nodes, a lost message, or one is closed", 3, 1)
                        .with(ModelFault.LOSS, ModelFault.CLOSE)
                        .tokens(2),
                of("two nodes in a queue, any fault but restore", 2, 1)
                        .queued()
                        .with(ModelFault.LATE, ModelFault.allBut(ModelFault.RESTORE))
                        .tokens(2),
                of("two nodes in a queue, the store goes back", 2, 1)
                        .queued()
                        .with(ModelFault.RESTORE)
                        .tokens(2));
    }

    /** So many nodes and faults; which faults is still to be said. */
    public static Bounds of(String name, int nodes, int faultsMax) {
        return new Bounds(
                name,
                ClaimOrdering.LEASE,
                nodes,
                faultsMax,
                Set.of(),
                2,
                3,
                OverduePolicy.KEEP_CLAIM,
                Integer.MAX_VALUE,
                Optional.empty());
    }

    public Bounds with(ModelFault first, ModelFault... more) {
        Set<ModelFault> chosen = EnumSet.of(first, more);
        return new Bounds(
                name, claimOrdering, nodes, faultsMax, chosen, inFlightMax, tokensMax, overdue, statesMax, brokenRule);
    }

    public Bounds tokens(int max) {
        return new Bounds(
                name, claimOrdering, nodes, faultsMax, faults, inFlightMax, max, overdue, statesMax, brokenRule);
    }

    public Bounds states(int max) {
        return new Bounds(
                name, claimOrdering, nodes, faultsMax, faults, inFlightMax, tokensMax, overdue, max, brokenRule);
    }

    public Bounds queued() {
        return new Bounds(
                name,
                ClaimOrdering.QUEUE,
                nodes,
                faultsMax,
                faults,
                inFlightMax,
                tokensMax,
                overdue,
                statesMax,
                brokenRule);
    }

    public Bounds releasingOverdue() {
        return new Bounds(
                name,
                claimOrdering,
                nodes,
                faultsMax,
                faults,
                inFlightMax,
                tokensMax,
                OverduePolicy.RELEASE,
                statesMax,
                brokenRule);
    }

    /** The same world with a rule broken on purpose. */
    public Bounds but(BrokenRule broken) {
        return new Bounds(
                name,
                claimOrdering,
                nodes,
                faultsMax,
                faults,
                inFlightMax,
                tokensMax,
                overdue,
                statesMax,
                Optional.of(broken));
    }

    public boolean has(BrokenRule which) {
        return brokenRule.isPresent() && brokenRule.get() == which;
    }

    /** How often the clock of each node may miss a tick: once is what the deadline allows for. */
    public int slipsMax() {
        return has(BrokenRule.CLOCKS_BEYOND_DRIFT) ? 2 : 1;
    }

    /** May this happen, after so many faults? */
    public boolean allow(ModelFault fault, ModelWorld world) {
        return world.history().faults() < faultsMax && faults.contains(fault);
    }
}
