package dev.tenure.explorer;

import dev.tenure.Overdue;
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
 * @param sabotage a rule that is broken on purpose
 */
public record Bounds(
        String name,
        Door door,
        int nodes,
        int faultsMax,
        Set<Fault> faults,
        int inFlightMax,
        int tokensMax,
        Overdue overdue,
        int statesMax,
        Optional<Sabotage> sabotage) {

    /** How a store gives an election to the next one. */
    public enum Door {
        /** Nobody is told: a store that compares and sets, and a record that whoever comes first takes. */
        LEASE,
        /** The store keeps the order in which claims came, and tells who has come to the front. */
        QUEUE
    }

    public Bounds {
        faults = Set.copyOf(faults);
        if (nodes < 1 || nodes > Canon.NODES_MAX) {
            throw new IllegalArgumentException(nodes + " nodes cannot be explored: 1 to " + Canon.NODES_MAX);
        }
        if (tokensMax < 1 || tokensMax > Canon.TOKENS_MAX) {
            throw new IllegalArgumentException(tokensMax + " tokens cannot be explored: 1 to " + Canon.TOKENS_MAX);
        }
    }

    /** Worlds that are explored to the end in seconds, and that together meet every state of both machines. */
    public static List<Bounds> standard() {
        return List.of(
                of("two nodes, nothing goes wrong", 2, 0).tokens(4),
                of("three nodes, nothing goes wrong", 3, 0).tokens(1),
                of("two nodes, a crash, a stopped loop or a lost message", 2, 1)
                        .with(Fault.CRASH, Fault.STUCK, Fault.LOSS)
                        .tokens(1),
                of("two nodes, a clock, a session or a call fails, or one is closed", 2, 1)
                        .with(Fault.SLIP, Fault.SUSPEND, Fault.REVOKE, Fault.UNREACHABLE, Fault.CLOSE)
                        .tokens(2),
                of("two nodes, two calls of unknown outcome, or one is closed", 2, 2)
                        .with(Fault.LOSS, Fault.CLOSE)
                        .tokens(1),
                of("two nodes, a message comes late or twice", 2, 1)
                        .with(Fault.LATE, Fault.DUPLICATE)
                        .tokens(1),
                of("two nodes, an overdue duty loses its claim", 2, 1)
                        .with(Fault.CLOSE, Fault.LOSS, Fault.REVOKE)
                        .tokens(1)
                        .releasingOverdue(),
                of("two nodes in a queue, a message or a session is lost", 2, 1)
                        .queued()
                        .with(Fault.LOSS, Fault.REVOKE)
                        .tokens(2),
                of("two nodes in a queue, two calls fail, or one is closed", 2, 2)
                        .queued()
                        .with(Fault.UNREACHABLE, Fault.CLOSE)
                        .tokens(1));
    }

    /** Worlds of millions of states, for when there are minutes and gigabytes. */
    public static List<Bounds> deep() {
        return List.of(
                of("two nodes, any fault but restore", 2, 1)
                        .with(Fault.LATE, Fault.allBut(Fault.RESTORE))
                        .tokens(3),
                of("two nodes, two crashes, stopped loops or lost messages", 2, 2)
                        .with(Fault.CRASH, Fault.STUCK, Fault.LOSS)
                        .tokens(2),
                of("two nodes, three times a clock or a message fails", 2, 3)
                        .with(Fault.SLIP, Fault.SUSPEND, Fault.LOSS)
                        .tokens(2),
                of("two nodes, the store goes back", 2, 1).with(Fault.RESTORE).tokens(2),
                of("three nodes, a lost message, or one is closed", 3, 1)
                        .with(Fault.LOSS, Fault.CLOSE)
                        .tokens(2),
                of("two nodes in a queue, any fault but restore", 2, 1)
                        .queued()
                        .with(Fault.LATE, Fault.allBut(Fault.RESTORE))
                        .tokens(2),
                of("two nodes in a queue, the store goes back", 2, 1)
                        .queued()
                        .with(Fault.RESTORE)
                        .tokens(2));
    }

    /** So many nodes and faults; which faults is still to be said. */
    public static Bounds of(String name, int nodes, int faultsMax) {
        return new Bounds(
                name,
                Door.LEASE,
                nodes,
                faultsMax,
                Set.of(),
                2,
                3,
                Overdue.KEEP_CLAIM,
                Integer.MAX_VALUE,
                Optional.empty());
    }

    public Bounds with(Fault first, Fault... more) {
        Set<Fault> chosen = EnumSet.of(first, more);
        return new Bounds(name, door, nodes, faultsMax, chosen, inFlightMax, tokensMax, overdue, statesMax, sabotage);
    }

    public Bounds tokens(int max) {
        return new Bounds(name, door, nodes, faultsMax, faults, inFlightMax, max, overdue, statesMax, sabotage);
    }

    public Bounds states(int max) {
        return new Bounds(name, door, nodes, faultsMax, faults, inFlightMax, tokensMax, overdue, max, sabotage);
    }

    public Bounds queued() {
        return new Bounds(
                name, Door.QUEUE, nodes, faultsMax, faults, inFlightMax, tokensMax, overdue, statesMax, sabotage);
    }

    public Bounds releasingOverdue() {
        return new Bounds(
                name, door, nodes, faultsMax, faults, inFlightMax, tokensMax, Overdue.RELEASE, statesMax, sabotage);
    }

    /** The same world with a rule broken on purpose. */
    public Bounds but(Sabotage broken) {
        return new Bounds(
                name, door, nodes, faultsMax, faults, inFlightMax, tokensMax, overdue, statesMax, Optional.of(broken));
    }

    boolean has(Sabotage which) {
        return sabotage.isPresent() && sabotage.get() == which;
    }

    /** How often the clock of each node may miss a tick: once is what the deadline allows for. */
    int slipsMax() {
        return has(Sabotage.CLOCKS_BEYOND_DRIFT) ? 2 : 1;
    }

    /** May this happen, after so many faults? */
    boolean allow(Fault fault, World world) {
        return world.history().faults() < faultsMax && faults.contains(fault);
    }
}
