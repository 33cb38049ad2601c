// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.MutableWorld;
import dev.tenure.explorer.model.NodeModel;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionMachine.SessionEvent;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.spi.ClaimReply;
import java.time.Duration;

/** How the loop of a node takes an answer: the filter of stale replies, and what is learned from the others. */
final class ReplyHandler {
    private final MutableWorld draft;
    private final LoopModel loopModel;
    private final Bounds bounds;
    private final Machines machines;

    ReplyHandler(MutableWorld draft, LoopModel loopModel) {
        this.draft = draft;
        this.loopModel = loopModel;
        this.bounds = draft.bounds;
        this.machines = draft.machines;
    }

    /** Gives the answer to the machine that waits for it; a machine that does not wait any more never receives it. */
    void deliver(int m) {
        ModelMessage message = draft.messages.remove(m);
        NodeModel node = draft.look(message.node());
        switch (message.kind()) {
            case OPEN -> opened(message);
            case RENEW -> renewed(message);
            case CLAIM -> {
                boolean stale = bounds.has(BrokenRule.STALE_REPLIES) && node.election instanceof ElectionState.Claiming;
                if (stale || machines.election.expects(node.election, message.attempt())) {
                    claimAnswered(message);
                }
            }
            case RELEASE -> {
                if (machines.election.expects(node.election, message.attempt())) {
                    loopModel.election(message.node(), new ElectionEvent.Released());
                }
            }
            case RAISE -> new DutyModel(draft, loopModel).raise(message);
            case FRONT -> {
                if (isTurn(node, message)) {
                    claimAnswered(message);
                }
            }
            case CLOSE -> throw new IllegalStateException("nobody waits for the end of a session");
        }
    }

    /** A grant that the store pushed: only for the place that this node keeps, or asks for. */
    private boolean isTurn(NodeModel node, ModelMessage front) {
        boolean asks =
                node.election instanceof ElectionState.Waiting || node.election instanceof ElectionState.Claiming;
        return machines.election.expects(node.election, new Nonce(0, front.nonce()))
                || (asks && bounds.has(BrokenRule.STALE_REPLIES));
    }

    private void opened(ModelMessage message) {
        int i = message.node();
        if (machines.session.expects(draft.look(i).session, message.attempt())) {
            NodeModel node = draft.change(i);
            if (bounds.has(BrokenRule.DEADLINE_FROM_REPLY) && node.session instanceof SessionState.Opening opening) {
                node.session =
                        new SessionState.Opening(opening.attempt(), node.nanos, node.wallMillis(), opening.failures());
            }
            String id = Integer.toString(message.session());
            loopModel.session(i, new SessionEvent.Opened(message.attempt(), id, Machines.TIMING));
        }
    }

    private void renewed(ModelMessage message) {
        int i = message.node();
        NodeModel node = draft.look(i);
        String id = Integer.toString(message.session());
        if (message.stage() == ModelMessage.Stage.GONE) {
            if (node.open().filter(open -> open.id().equals(id)).isPresent()) {
                loopModel.session(i, new SessionEvent.Gone(id, "the store ended it"));
            }
            return;
        }
        boolean sent = node.session instanceof SessionState.Open open
                && open.beat() instanceof SessionState.Beat.Sent
                && bounds.has(BrokenRule.STALE_REPLIES);
        if (sent || machines.session.expects(node.session, message.attempt())) {
            if (bounds.has(BrokenRule.DEADLINE_FROM_REPLY)) {
                SessionState.Open open = (SessionState.Open) node.session;
                SessionState.Beat now = new SessionState.Beat.Sent(message.attempt(), node.nanos, node.wallMillis());
                draft.change(i).session =
                        new SessionState.Open(open.id(), open.timing(), open.authority(), now, open.failures());
            }
            loopModel.session(
                    i,
                    new SessionEvent.Renewed(
                            message.attempt(), Machines.TIMING, node.held().isPresent()));
        }
    }

    private void claimAnswered(ModelMessage message) {
        int i = message.node();
        NodeModel node = draft.change(i);
        if (message.stage() == ModelMessage.Stage.MUST_WAIT) {
            node.floor = Math.max(node.floor, message.token());
            loopModel.election(i, new ElectionEvent.MustWait(bounds.claimOrdering() == Bounds.ClaimOrdering.QUEUE));
            return;
        }
        boolean asked = message.kind() == ModelMessage.Kind.FRONT
                ? machines.election.expects(node.election, new Nonce(0, message.nonce()))
                : machines.election.expects(node.election, message.attempt());
        long floor = bounds.has(BrokenRule.NO_FLOOR) ? 0 : Math.max(node.floorAtClaim, node.floor - 1);
        node.proven = asked ? message.nonce() : 0;
        node.seenBefore = node.floor;
        node.floor = Math.max(node.floor, message.token());
        ClaimReply.Granted grant = new ClaimReply.Granted(
                new FencingToken(message.token()), new Nonce(0, message.nonce()), false, Duration.ZERO);
        loopModel.election(i, new ElectionEvent.Granted(grant, floor));
        loopModel.session(i, new SessionEvent.ClaimGranted());
    }
}
