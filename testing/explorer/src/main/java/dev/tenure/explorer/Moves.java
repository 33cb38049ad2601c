package dev.tenure.explorer;

import dev.tenure.explorer.Move.Kind;
import dev.tenure.internal.engine.ElectionState;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Which steps are possible in a world. */
final class Moves {
    private final Bounds bounds;
    private final Machines machines;

    Moves(Bounds bounds, Machines machines) {
        this.bounds = bounds;
        this.machines = machines;
    }

    List<Move> possible(World world) {
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

    private static boolean isCalm(World world, List<Move> moves) {
        for (Move move : moves) {
            if (isUrgent(move)) {
                return false;
            }
        }
        for (Message message : world.messages()) {
            if (!mayWait(world, message)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUrgent(Move move) {
        return move.kind() == Kind.SESSION_TICK || move.kind() == Kind.ELECTION_TICK || move.kind() == Kind.ADMIT;
    }

    private static boolean mayWait(World world, Message message) {
        boolean unheard = message.isAnswer() && world.nodes().get(message.node()).stuck;
        return message.late() || message.orphan() || unheard;
    }

    /** What the loop of a node would do now. */
    private void ofLoop(World world, int i, List<Move> moves) {
        Node node = world.nodes().get(i);
        add(moves, isDue(machines.session.nextWake(node.session), node), Kind.SESSION_TICK, i);
        add(moves, isElectionDue(node), Kind.ELECTION_TICK, i);
        boolean ready =
                node.election instanceof ElectionState.Ready && node.open().isPresent();
        add(moves, ready, Kind.ADMIT, i);
        boolean unhinted = node.election instanceof ElectionState.Claiming claiming && !claiming.hinted();
        add(moves, unhinted || node.election instanceof ElectionState.Waiting, Kind.HINT, i);
        add(moves, node.held().filter(grant -> !stands(world, grant)).isPresent(), Kind.VERIFY, i);
        add(moves, bounds.allow(Fault.CLOSE, world) && !node.closing, Kind.CLOSE, i);
        add(moves, bounds.allow(Fault.STUCK, world), Kind.STICK, i);
    }

    /** What befalls a node, and what its duty does, whether its loop runs or not. */
    private void ofNode(World world, int i, boolean calm, List<Move> moves) {
        Node node = world.nodes().get(i);
        add(moves, node.stuck, Kind.UNSTICK, i);
        add(moves, calm && node.slips < bounds.slipsMax() && bounds.allow(Fault.SLIP, world), Kind.SLIP, i);
        add(moves, calm && bounds.allow(Fault.SUSPEND, world), Kind.SUSPEND, i);
        add(moves, bounds.allow(Fault.CRASH, world), Kind.CRASH, i);
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

    private static boolean isDue(OptionalLong wake, Node node) {
        return wake.isPresent() && node.nanos - wake.getAsLong() >= 0;
    }

    private boolean isElectionDue(Node node) {
        if (node.election instanceof ElectionState.Leading && node.open().isPresent()) {
            long drainNanos = Machines.TICK; // the round that tells leading elections of the risk
            return node.nanos - (node.open().get().validUntilNanos() - drainNanos) >= 0;
        }
        return isDue(machines.election.nextWake(node.election, node.scene()), node);
    }

    private static boolean stands(World world, ElectionState.Grant grant) {
        Store.Claim claim = world.store().claim();
        return claim.held()
                && claim.session() == Machines.number(grant.session())
                && claim.nonce() == grant.term().nonce().low();
    }

    private void ofMessage(World world, int m, List<Move> moves) {
        Message message = world.messages().get(m);
        boolean hears = !message.orphan() && !world.nodes().get(message.node()).stuck;
        boolean fence = message.kind() == Message.Kind.RAISE;
        add(moves, bounds.allow(Fault.LOSS, world), Kind.LOSE, m);
        add(moves, bounds.allow(Fault.LATE, world) && !message.late(), Kind.DELAY, m);
        if (fence || message.isAnswer()) {
            add(moves, hears, Kind.DELIVER, m);
        } else if (message.late() || message.orphan()) {
            moves.add(new Move(Kind.PROCESS, m));
        } else {
            moves.add(new Move(Kind.EXCHANGE, m));
            boolean answered = message.kind() != Message.Kind.CLOSE && message.kind() != Message.Kind.FRONT;
            add(moves, answered && bounds.allow(Fault.LOSS, world), Kind.LOSE_ANSWER, m);
            boolean copied = answered && message.kind() != Message.Kind.OPEN && bounds.allow(Fault.DUPLICATE, world);
            add(moves, copied, Kind.EXCHANGE_TWICE, m);
            add(moves, answered && hears && bounds.allow(Fault.UNREACHABLE, world), Kind.REFUSE, m);
        }
    }

    private void ofStore(World world, List<Move> moves) {
        for (Store.Lease lease : world.store().sessions()) {
            boolean silent = lease.expiresAt() <= world.store().ticks();
            add(moves, silent, Kind.EXPIRE, lease.session());
            add(moves, !silent && bounds.allow(Fault.REVOKE, world), Kind.REVOKE, lease.session());
        }
        if (bounds.allow(Fault.RESTORE, world) && !world.history().restored()) {
            boolean backedUp = world.store().backup().isPresent();
            moves.add(new Move(backedUp ? Kind.RESTORE : Kind.BACK_UP, 0));
        }
    }
}
