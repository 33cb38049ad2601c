package dev.tenure.explorer;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionEvent;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.spi.ClaimReply;
import java.time.Duration;

/** How the loop of a node takes an answer: the filter of stale replies, and what is learned from the others. */
final class Answers {
    private final Draft draft;
    private final Shell shell;
    private final Bounds bounds;
    private final Machines machines;

    Answers(Draft draft, Shell shell) {
        this.draft = draft;
        this.shell = shell;
        this.bounds = draft.bounds;
        this.machines = draft.machines;
    }

    /** Gives the answer to the machine that waits for it; whoever does not wait any more never hears it. */
    void deliver(int m) {
        Message message = draft.messages.remove(m);
        Node node = draft.look(message.node());
        switch (message.kind()) {
            case OPEN -> opened(message);
            case RENEW -> renewed(message);
            case CLAIM -> {
                boolean stale = bounds.has(Sabotage.STALE_REPLIES) && node.election instanceof ElectionState.Claiming;
                if (stale || machines.election.expects(node.election, message.attempt())) {
                    claimAnswered(message);
                }
            }
            case RELEASE -> {
                if (machines.election.expects(node.election, message.attempt())) {
                    shell.election(message.node(), new ElectionEvent.Released());
                }
            }
            case RAISE -> new DutySide(draft, shell).raise(message);
            case FRONT -> {
                if (isTurn(node, message)) {
                    claimAnswered(message);
                }
            }
            case CLOSE -> throw new IllegalStateException("nobody waits for the end of a session");
        }
    }

    /** A grant that the store pushed: only for the place that this node keeps, or asks for. */
    private boolean isTurn(Node node, Message front) {
        boolean asks =
                node.election instanceof ElectionState.Waiting || node.election instanceof ElectionState.Claiming;
        return machines.election.expects(node.election, new Nonce(0, front.nonce()))
                || (asks && bounds.has(Sabotage.STALE_REPLIES));
    }

    private void opened(Message message) {
        int i = message.node();
        if (machines.session.expects(draft.look(i).session, message.attempt())) {
            Node node = draft.change(i);
            if (bounds.has(Sabotage.DEADLINE_FROM_REPLY) && node.session instanceof SessionState.Opening opening) {
                node.session =
                        new SessionState.Opening(opening.attempt(), node.nanos, node.wallMillis(), opening.failures());
            }
            String id = Integer.toString(message.session());
            shell.session(i, new SessionEvent.Opened(message.attempt(), id, Machines.TIMING));
        }
    }

    private void renewed(Message message) {
        int i = message.node();
        Node node = draft.look(i);
        String id = Integer.toString(message.session());
        if (message.stage() == Message.Stage.GONE) {
            if (node.open().filter(open -> open.id().equals(id)).isPresent()) {
                shell.session(i, new SessionEvent.Gone(id, "the store ended it"));
            }
            return;
        }
        boolean sent = node.session instanceof SessionState.Open open
                && open.beat() instanceof SessionState.Beat.Sent
                && bounds.has(Sabotage.STALE_REPLIES);
        if (sent || machines.session.expects(node.session, message.attempt())) {
            if (bounds.has(Sabotage.DEADLINE_FROM_REPLY)) {
                SessionState.Open open = (SessionState.Open) node.session;
                SessionState.Beat now = new SessionState.Beat.Sent(message.attempt(), node.nanos, node.wallMillis());
                draft.change(i).session =
                        new SessionState.Open(open.id(), open.timing(), open.authority(), now, open.failures());
            }
            shell.session(
                    i,
                    new SessionEvent.Renewed(
                            message.attempt(), Machines.TIMING, node.held().isPresent()));
        }
    }

    private void claimAnswered(Message message) {
        int i = message.node();
        Node node = draft.change(i);
        if (message.stage() == Message.Stage.MUST_WAIT) {
            node.floor = Math.max(node.floor, message.token());
            shell.election(i, new ElectionEvent.MustWait(bounds.door() == Bounds.Door.QUEUE));
            return;
        }
        boolean asked = message.kind() == Message.Kind.FRONT
                ? machines.election.expects(node.election, new Nonce(0, message.nonce()))
                : machines.election.expects(node.election, message.attempt());
        long floor = bounds.has(Sabotage.NO_FLOOR) ? 0 : Math.max(node.floorAtClaim, node.floor - 1);
        node.proven = asked ? message.nonce() : 0;
        node.seenBefore = node.floor;
        node.floor = Math.max(node.floor, message.token());
        ClaimReply.Granted grant = new ClaimReply.Granted(
                new FencingToken(message.token()), new Nonce(0, message.nonce()), false, Duration.ZERO);
        shell.election(i, new ElectionEvent.Granted(grant, floor));
        shell.session(i, new SessionEvent.ClaimGranted());
    }
}
