// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.Loss;
import dev.tenure.Term;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.explorer.model.Coverage;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelChecks;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.MutableWorld;
import dev.tenure.explorer.model.NodeModel;
import dev.tenure.explorer.model.ViolationException;
import dev.tenure.internal.engine.ElectionEffect;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionMachine.SessionEffect;
import dev.tenure.internal.engine.SessionMachine.SessionEvent;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.Transition;
import java.util.Optional;

/**
 * What the production loop does around the machines, in small: hands events to them and carries out what they ask for. The
 * properties that concern a single effect are checked here.
 */
final class LoopModel {
    private final MutableWorld draft;
    private final Coverage coverage;

    LoopModel(MutableWorld draft, Coverage coverage) {
        this.draft = draft;
        this.coverage = coverage;
    }

    void session(int i, SessionEvent event) {
        NodeModel node = draft.change(i);
        draft.countFor(i);
        coverage.note(node.session, event);
        Transition<SessionState, SessionEffect> transition =
                draft.machines.brokenMachines.on(node.session, event, node.nanos, node.wallMillis());
        node.session = transition.state();
        for (SessionEffect effect : transition.effects()) {
            carryOut(i, node, effect);
        }
    }

    private void carryOut(int i, NodeModel node, SessionEffect effect) {
        if (effect instanceof SessionEffect.SendOpen send) {
            int session = draft.machines.freshSession();
            draft.send(ModelMessage.sent(i, ModelMessage.Kind.OPEN, send.attempt(), session, 0, 0));
        } else if (effect instanceof SessionEffect.SendRenew send) {
            int session = Machines.number(node.open().orElseThrow().id());
            draft.send(ModelMessage.sent(i, ModelMessage.Kind.RENEW, send.attempt(), session, 0, 0));
        } else if (effect instanceof SessionEffect.Publish publish) {
            if (publish.first()) {
                election(i, new ElectionEvent.SessionOpened());
            } else if (node.election instanceof ElectionState.RaisingFences) {
                election(i, new ElectionEvent.Tick());
            }
        } else if (effect instanceof SessionEffect.Lose lose) {
            node.past = Machines.number(lose.id());
            election(i, new ElectionEvent.SessionLost(lose.id(), lose.loss()));
            closePastWhenDrained(i, node);
        }
    }

    void election(int i, ElectionEvent event) {
        NodeModel node = draft.change(i);
        draft.countFor(i);
        coverage.note(node.election, event);
        Transition<ElectionState, ElectionEffect> transition = step(node, event);
        node.election = transition.state();
        for (ElectionEffect effect : transition.effects()) {
            carryOut(i, node, effect);
        }
        closePastWhenDrained(i, node);
        boolean tripped = node.election instanceof ElectionState.RaisingFences
                && !node.context().authorised();
        if (tripped) {
            session(i, new SessionEvent.RenewWanted());
        }
    }

    private Transition<ElectionState, ElectionEffect> step(NodeModel node, ElectionEvent event) {
        try {
            return draft.machines.brokenMachines.on(node.election, event, node.context());
        } catch (IllegalStateException illegal) {
            throw new ViolationException(ModelChecks.NO_ROW, String.valueOf(illegal.getMessage()));
        }
    }

    private void carryOut(int i, NodeModel node, ElectionEffect effect) {
        if (effect instanceof ElectionEffect.SendClaim send) {
            node.floorAtClaim = node.floor;
            node.newestCall = send.attempt();
            long floor = draft.bounds.has(BrokenRule.NO_FLOOR) ? 0 : node.floor;
            int session = Machines.number(node.open().orElseThrow().id());
            draft.send(ModelMessage.sent(
                    i,
                    ModelMessage.Kind.CLAIM,
                    send.attempt(),
                    session,
                    send.nonce().low(),
                    floor));
        } else if (effect instanceof ElectionEffect.SendRelease send) {
            ModelChecks.release(node, send, draft.bounds);
            node.newestCall = send.attempt();
            int session = Machines.number(node.open().orElseThrow().id());
            draft.send(ModelMessage.sent(
                    i,
                    ModelMessage.Kind.RELEASE,
                    send.attempt(),
                    session,
                    send.nonce().low(),
                    0));
        } else if (effect instanceof ElectionEffect.RaiseFences raise) {
            Term term = raise.term();
            long token = term.token().value();
            draft.send(ModelMessage.sent(
                    i, ModelMessage.Kind.RAISE, raise.attempt(), 0, term.nonce().low(), token));
        } else if (effect instanceof ElectionEffect.StartDuty start) {
            ModelChecks.start(node, start.term(), draft);
            int session = Machines.number(node.open().orElseThrow().id());
            node.lead = Optional.of(new NodeModel.Lead(start.term(), session, NodeModel.Stage.ACTIVE, false, false));
        } else if (effect instanceof ElectionEffect.StopDuty stop) {
            boolean dead = stop.loss() instanceof Loss.SessionLost || stop.loss() instanceof Loss.Fenced;
            end(node, dead);
        } else if (effect instanceof ElectionEffect.RevokeAuthority) {
            end(node, true);
        } else if (effect instanceof ElectionEffect.EndTerm over) {
            ModelChecks.end(node, over.term());
            node.lead = Optional.empty();
        }
    }

    private static void end(NodeModel node, boolean dead) {
        NodeModel.Lead lead =
                node.lead.orElseThrow(() -> new ViolationException("S9", "a duty is stopped that does not run"));
        if (dead) {
            node.lead = Optional.of(lead.at(NodeModel.Stage.DEAD));
        } else if (lead.stage() == NodeModel.Stage.ACTIVE) {
            node.lead = Optional.of(lead.at(NodeModel.Stage.ENDING));
        }
    }

    private void closePastWhenDrained(int i, NodeModel node) {
        boolean runs = node.lead.filter(lead -> lead.session() == node.past).isPresent();
        if (node.past != 0 && !runs) {
            draft.send(ModelMessage.sent(i, ModelMessage.Kind.CLOSE, 0, node.past, 0, 0));
            node.past = 0;
        }
    }
}
