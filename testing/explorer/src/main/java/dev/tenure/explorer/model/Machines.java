// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.internal.engine.ElectionMachine;
import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.internal.engine.IdSource;
import dev.tenure.internal.engine.SessionMachine;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The production machines, with a timing of whole ticks.
 *
 * <p>A TTL has {@value #TTL_TICKS} ticks. Belief ends {@value #BELIEF_TICKS} ticks after the sending, so that the clock of
 * a node may miss one tick of a TTL; with one more it would be too late. Retries fit into one tick, so the number of
 * failures makes no difference, and chance is taken out: which of two comes first is explored, not drawn.
 */
public final class Machines {
    public static final long TICK = 1_000_000_000L;
    public static final int TTL_TICKS = 5;
    public static final int BELIEF_TICKS = 4;
    public static final Timing TIMING = new Timing(TTL_TICKS * TICK, TICK, TICK, TICK / 10, TICK, TICK / 2);
    private static final Timing ASKED = new Timing(TTL_TICKS * TICK, TICK, TICK, 0, TICK, TICK / 2);
    private static final long OPEN_TIMEOUT = 2 * TICK;
    static final long SHORT = TICK / 10;
    private static final int OWNERS = 8;

    public final SessionMachine session;
    public final ElectionMachine election;
    public final BrokenMachines brokenMachines;
    private final Counter counter = new Counter();

    public Machines(Bounds bounds) {
        TIMING.requireRoomFor(Duration.ofNanos(TICK));
        if (TIMING.validUntil(0) != BELIEF_TICKS * TICK) {
            throw new IllegalStateException("belief lasts " + TIMING.validUntil(0) + " ns instead of 4 ticks");
        }
        session = new SessionMachine(ASKED, OPEN_TIMEOUT, counter);
        ElectionRules rules =
                new ElectionRules(TICK, SHORT, true, !bounds.has(BrokenRule.NO_FENCE), false, bounds.overdue());
        election = new ElectionMachine(ElectionName.of("x"), "node", rules, counter);
        brokenMachines = new BrokenMachines(bounds, session, election, counter);
    }

    public ModelWorld initial(Bounds bounds) {
        List<NodeModel> nodes = new ArrayList<>();
        for (int i = 0; i < bounds.nodes(); i++) {
            nodes.add(newborn(0, 0));
        }
        return new ModelWorld(
                nodes, StoreState.EMPTY, List.of(), ModelWorld.Resource.UNTOUCHED, ModelWorld.History.NONE, 1);
    }

    /** A process that has just started, on a machine whose clock runs on. */
    public NodeModel newborn(long nanos, int slips) {
        NodeModel node = new NodeModel(new SessionState.Idle(), election.initial(nanos));
        node.nanos = nanos;
        node.slips = slips;
        return node;
    }

    /** From here on, fresh numbers belong to this node and count from here. */
    void count(int node, long from) {
        counter.node = node;
        counter.next = from;
    }

    long counted() {
        return counter.next;
    }

    /** The owner that made this number, of a nonce or a session. */
    public static int owner(long number) {
        return (int) (number % OWNERS);
    }

    public static int number(String session) {
        return Integer.parseInt(session);
    }

    public int freshSession() {
        return (int) counter.number();
    }

    private static final class Counter implements IdSource {
        private int node;
        private long next;

        private long number() {
            return OWNERS * next++ + node;
        }

        @Override
        public long attempt() {
            return next++;
        }

        @Override
        public Nonce nonce() {
            return new Nonce(0, number());
        }

        @Override
        public long jitter(long nanosMax) {
            return 0;
        }
    }
}
