// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.ModelFault;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.ModelWorld;
import dev.tenure.explorer.model.NodeModel;
import dev.tenure.explorer.model.StoreState;
import dev.tenure.explorer.step.Move.Kind;
import dev.tenure.internal.engine.ElectionState;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Which steps are possible in a world. */
public final class Moves {
    private final Bounds bounds;
    private final Machines machines;

    public Moves(Bounds bounds, Machines machines) {
        this.bounds = bounds;
        this.machines = machines;
    }

    public List<Move> possible(ModelWorld world) {
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < world.nodes().size(); i++) {
            if (!world.nodes().get(i).stuck) {
                ofLoop(world, i, moves);
            }
        }
        for (int m = 0; m < world.messages().size(); m++) {
            ofMessage(world, m, moves);
        }
        // Everybody is prompt but for faults: time passes when nothing else has to happen first.
        boolean calm = isCalm(world, moves);
        for (int i = 0; i < world.nodes().size(); i++) {
            ofNode(world, i, calm, moves);
        }
        ofStore(world, moves);
        add(moves, calm, Kind.TICK, 0);
        return moves;
    }

    private static boolean isCalm(ModelWorld world, List<Move> moves) {
        for (Move move : moves) {
            if (isUrgent(move)) {
                return false;
            }
        }
        for (ModelMessage message : world.messages()) {
            if (!mayWait(world, message)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUrgent(Move move) {
        return move.kind() == Kind.SESSION_TICK || move.kind() == Kind.ELECTION_TICK || move.kind() == Kind.ADMIT;
    }

    private static boolean mayWait(ModelWorld world, ModelMessage message) {
        boolean unheard = message.isAnswer() && world.nodes().get(message.node()).stuck;
        return message.late() || message.orphan() || unheard;
    }

    /** What the loop of a node would do now. */
    private void ofLoop(ModelWorld world, int i, List<Move> moves) {
        NodeModel node = world.nodes().get(i);
        add(moves, isDue(machines.session.nextWake(node.session), node), Kind.SESSION_TICK, i);
        add(moves, isElectionDue(node), Kind.ELECTION_TICK, i);
        boolean ready =
                node.election instanceof ElectionState.Ready && node.open().isPresent();
        add(moves, ready, Kind.ADMIT, i);
        boolean unhinted = node.election instanceof ElectionState.Claiming claiming && !claiming.hinted();
        add(moves, unhinted || node.election instanceof ElectionState.Waiting, Kind.HINT, i);
        add(moves, node.held().filter(grant -> !stands(world, grant)).isPresent(), Kind.VERIFY, i);
        add(moves, bounds.allow(ModelFault.CLOSE, world) && !node.closing, Kind.CLOSE, i);
        add(moves, bounds.allow(ModelFault.STUCK, world), Kind.STICK, i);
    }

    /** What befalls a node, and what its duty does, whether its loop runs or not. */
    private void ofNode(ModelWorld world, int i, boolean calm, List<Move> moves) {
        NodeModel node = world.nodes().get(i);
        add(moves, node.stuck, Kind.UNSTICK, i);
        add(moves, calm && node.slips < bounds.slipsMax() && bounds.allow(ModelFault.SLIP, world), Kind.SLIP, i);
        add(moves, calm && bounds.allow(ModelFault.SUSPEND, world), Kind.SUSPEND, i);
        add(moves, bounds.allow(ModelFault.CRASH, world), Kind.CRASH, i);
        if (node.lead.isPresent()) {
            boolean checked = node.lead.get().checked();
            add(moves, !checked && node.mayWrite(bounds), Kind.CHECK, i);
            add(moves, checked, Kind.WRITE, i);
            add(moves, !checked && !node.stuck, Kind.DUTY_ENDS, i);
        }
    }

    private static void add(List<Move> moves, boolean possible, Kind kind, int subject) {
        if (possible) {
            moves.add(new Move(kind, subject));
        }
    }

    private static boolean isDue(OptionalLong wake, NodeModel node) {
        return wake.isPresent() && node.nanos - wake.getAsLong() >= 0;
    }

    private boolean isElectionDue(NodeModel node) {
        if (node.election instanceof ElectionState.Leading && node.open().isPresent()) {
            long drainNanos = Machines.TICK; // the round that tells leading elections of the risk
            return node.nanos - (node.open().get().validUntilNanos() - drainNanos) >= 0;
        }
        return isDue(machines.election.nextWake(node.election, node.context()), node);
    }

    private static boolean stands(ModelWorld world, ElectionState.Grant grant) {
        StoreState.Claim claim = world.store().claim();
        return claim.held()
                && claim.session() == Machines.number(grant.session())
                && claim.nonce() == grant.term().nonce().low();
    }

    private void ofMessage(ModelWorld world, int m, List<Move> moves) {
        ModelMessage message = world.messages().get(m);
        boolean hears = !message.orphan() && !world.nodes().get(message.node()).stuck;
        boolean fence = message.kind() == ModelMessage.Kind.RAISE;
        add(moves, bounds.allow(ModelFault.LOSS, world), Kind.LOSE, m);
        add(moves, bounds.allow(ModelFault.LATE, world) && !message.late(), Kind.DELAY, m);
        if (fence || message.isAnswer()) {
            add(moves, hears, Kind.DELIVER, m);
        } else if (message.late() || message.orphan()) {
            moves.add(new Move(Kind.PROCESS, m));
        } else {
            moves.add(new Move(Kind.EXCHANGE, m));
            boolean answered = message.kind() != ModelMessage.Kind.CLOSE && message.kind() != ModelMessage.Kind.FRONT;
            add(moves, answered && bounds.allow(ModelFault.LOSS, world), Kind.LOSE_ANSWER, m);
            boolean copied =
                    answered && message.kind() != ModelMessage.Kind.OPEN && bounds.allow(ModelFault.DUPLICATE, world);
            add(moves, copied, Kind.EXCHANGE_TWICE, m);
            add(moves, answered && hears && bounds.allow(ModelFault.UNREACHABLE, world), Kind.REFUSE, m);
        }
    }

    private void ofStore(ModelWorld world, List<Move> moves) {
        for (StoreState.Lease lease : world.store().sessions()) {
            boolean silent = lease.expiresAt() <= world.store().ticks();
            add(moves, silent, Kind.EXPIRE, lease.session());
            add(moves, !silent && bounds.allow(ModelFault.REVOKE, world), Kind.REVOKE, lease.session());
        }
        if (bounds.allow(ModelFault.RESTORE, world) && !world.history().restored()) {
            boolean backedUp = world.store().backup().isPresent();
            moves.add(new Move(backedUp ? Kind.RESTORE : Kind.BACK_UP, 0));
        }
    }
}
