// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.explorer.model.ModelChecks;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.ModelWorld;
import dev.tenure.explorer.model.MutableWorld;
import dev.tenure.explorer.model.NodeModel;
import dev.tenure.internal.engine.ElectionEvent;
import java.util.Optional;

/** What the duties do, and the resource that they write to. */
final class DutyModel {
    private final MutableWorld draft;
    private final LoopModel loopModel;

    DutyModel(MutableWorld draft, LoopModel loopModel) {
        this.draft = draft;
        this.loopModel = loopModel;
    }

    void move(Move move) {
        int i = move.subject();
        NodeModel node = draft.change(i);
        NodeModel.Lead lead = node.lead.orElseThrow();
        if (move.kind() == Move.Kind.CHECK) {
            node.lead = Optional.of(lead.checking(true));
        } else if (move.kind() == Move.Kind.WRITE) {
            write(i, node, lead);
        } else {
            // A loop that left because its authority ended has not completed anything.
            boolean active = lead.stage() == NodeModel.Stage.ACTIVE && node.mayWrite(draft.bounds);
            loopModel.election(i, new ElectionEvent.DutyEnded(active ? new Loss.Completed() : new Loss.Expired()));
        }
    }

    private boolean accepts(long token, long nonce) {
        ModelWorld.Resource resource = draft.resource;
        return draft.bounds.has(BrokenRule.NO_FENCE)
                || token > resource.fenceToken()
                || (token == resource.fenceToken() && nonce == resource.fenceNonce());
    }

    private void write(int i, NodeModel node, NodeModel.Lead lead) {
        node.lead = Optional.of(lead.checking(false));
        long token = lead.term().token().value();
        long nonce = lead.term().nonce().low();
        if (accepts(token, nonce)) {
            ModelChecks.write(draft.resource, token, nonce);
            draft.resource = new ModelWorld.Resource(token, nonce, token, nonce);
            return;
        }
        refused(i, node, draft.resource.fenceToken());
    }

    private void refused(int i, NodeModel node, long seen) {
        node.lead = node.lead.map(lead -> lead.at(NodeModel.Stage.DEAD));
        node.floor = Math.max(node.floor, seen);
        loopModel.election(i, new ElectionEvent.EndWanted(new Loss.Fenced(new FencingToken(seen))));
    }

    /** A fence is raised, and answers at once; who asked may have given up meanwhile. */
    void raise(ModelMessage message) {
        int i = message.node();
        NodeModel node = draft.change(i);
        boolean raised = accepts(message.token(), message.nonce());
        boolean expected = draft.machines.election.expects(node.election, message.attempt());
        if (raised) {
            ModelWorld.Resource before = draft.resource;
            draft.resource = new ModelWorld.Resource(
                    message.token(), message.nonce(), before.writtenToken(), before.writtenNonce());
        } else {
            node.floor = Math.max(node.floor, draft.resource.fenceToken());
        }
        if (expected) {
            loopModel.election(
                    i, raised ? new ElectionEvent.FencesRaised() : new ElectionEvent.FenceFailed("it has seen more"));
        }
    }
}
