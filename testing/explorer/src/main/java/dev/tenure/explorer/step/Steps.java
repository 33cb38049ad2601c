// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.Loss;
import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.ModelFault;
import dev.tenure.explorer.model.Coverage;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelChecks;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.ModelWorld;
import dev.tenure.explorer.model.MutableWorld;
import dev.tenure.explorer.model.NodeModel;
import dev.tenure.explorer.step.Move.Kind;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.SessionMachine.SessionEvent;

/** What each step makes of a world. */
public final class Steps {
    private final Bounds bounds;
    private final Machines machines;
    private final Coverage coverage;

    public Steps(Bounds bounds, Machines machines, Coverage coverage) {
        this.bounds = bounds;
        this.machines = machines;
        this.coverage = coverage;
    }

    public ModelWorld initial() {
        MutableWorld draft = new MutableWorld(machines.initial(bounds), bounds, machines);
        for (int i = 0; i < bounds.nodes(); i++) {
            new LoopModel(draft, coverage).session(i, new SessionEvent.Wanted());
        }
        return draft.done();
    }

    /** @throws ViolationException if a property does not hold afterwards */
    public ModelWorld after(ModelWorld world, Move move) {
        MutableWorld draft = new MutableWorld(world, bounds, machines);
        LoopModel loopModel = new LoopModel(draft, coverage);
        switch (move.kind()) {
            case TICK, SLIP, SUSPEND -> passTime(draft, move);
            case STICK -> {
                draft.fault(ModelFault.STUCK);
                draft.change(move.subject()).stuck = true;
            }
            case UNSTICK -> draft.change(move.subject()).stuck = false;
            case SESSION_TICK -> loopModel.session(move.subject(), new SessionEvent.Tick());
            case ELECTION_TICK -> loopModel.election(move.subject(), new ElectionEvent.Tick());
            case ADMIT -> loopModel.election(move.subject(), new ElectionEvent.Admitted());
            case HINT -> loopModel.election(move.subject(), new ElectionEvent.Hinted());
            case VERIFY -> {
                loopModel.election(move.subject(), new ElectionEvent.EndWanted(new Loss.Superseded("another")));
                loopModel.session(move.subject(), new SessionEvent.RenewWanted());
            }
            case CHECK, WRITE, DUTY_ENDS -> new DutyModel(draft, loopModel).move(move);
            case CLOSE -> {
                draft.fault(ModelFault.CLOSE);
                draft.change(move.subject()).closing = true;
                loopModel.election(move.subject(), new ElectionEvent.EndWanted(new Loss.Closed()));
            }
            case CRASH -> crash(draft, loopModel, move.subject());
            case PROCESS -> new StoreModel(draft).process(move.subject());
            case EXCHANGE -> exchange(draft, loopModel, move.subject(), true);
            case EXCHANGE_TWICE -> {
                draft.fault(ModelFault.DUPLICATE);
                draft.messages.add(draft.messages.get(move.subject()).orphaned());
                exchange(draft, loopModel, move.subject(), true);
            }
            case LOSE_ANSWER -> {
                draft.fault(ModelFault.LOSS);
                exchange(draft, loopModel, move.subject(), false);
            }
            case DELIVER -> new ReplyHandler(draft, loopModel).deliver(move.subject());
            case DELAY -> {
                draft.fault(ModelFault.LATE);
                draft.messages.set(
                        move.subject(), draft.messages.get(move.subject()).delayed());
            }
            case LOSE -> {
                draft.fault(ModelFault.LOSS);
                draft.messages.remove(move.subject());
            }
            case REFUSE -> {
                draft.fault(ModelFault.UNREACHABLE);
                refuse(draft, loopModel, move.subject());
            }
            case EXPIRE -> new StoreModel(draft).expire(move.subject());
            case REVOKE -> {
                draft.fault(ModelFault.REVOKE);
                new StoreModel(draft).expire(move.subject());
            }
            case BACK_UP -> new StoreModel(draft).backUp();
            case RESTORE -> {
                draft.fault(ModelFault.RESTORE);
                new StoreModel(draft).restore();
            }
        }
        ModelChecks.state(draft);
        return draft.done();
    }

    private static void passTime(MutableWorld draft, Move move) {
        draft.store = draft.store.tick();
        for (int i = 0; i < draft.size(); i++) {
            NodeModel node = draft.change(i);
            boolean meant = move.kind() != Kind.TICK && move.subject() == i;
            if (!meant) {
                node.nanos += Machines.TICK;
            } else if (move.kind() == Kind.SLIP) {
                draft.fault(ModelFault.SLIP);
                node.slips++;
            } else {
                node.wallAheadTicks++;
                draft.fault(ModelFault.SUSPEND);
            }
        }
    }

    /** Up to the answer, and back if somebody listens; a node that is stuck finds it later. */
    private void exchange(MutableWorld draft, LoopModel loopModel, int m, boolean answered) {
        ModelMessage message = draft.messages.remove(m);
        draft.messages.add(0, message);
        StoreModel store = new StoreModel(draft);
        while (isFirst(draft, message) && !draft.messages.get(0).isAnswer()) {
            store.process(0);
        }
        boolean there = isFirst(draft, message);
        if (there && !answered) {
            draft.messages.remove(0);
        } else if (there && !draft.look(message.node()).stuck) {
            new ReplyHandler(draft, loopModel).deliver(0);
        }
    }

    private static boolean isFirst(MutableWorld draft, ModelMessage message) {
        return !draft.messages.isEmpty() && draft.messages.get(0).isSameCallAs(message);
    }

    private void crash(MutableWorld draft, LoopModel loopModel, int i) {
        draft.fault(ModelFault.CRASH);
        NodeModel dead = draft.look(i);
        for (int m = draft.messages.size() - 1; m >= 0; m--) {
            ModelMessage message = draft.messages.get(m);
            boolean gone = message.isAnswer()
                    || message.kind() == ModelMessage.Kind.RAISE
                    || message.kind() == ModelMessage.Kind.FRONT;
            if (message.node() == i && gone) {
                draft.messages.remove(m);
            } else if (message.node() == i) {
                draft.messages.set(m, message.orphaned());
            }
        }
        NodeModel born = machines.newborn(dead.nanos, dead.slips);
        born.closing = dead.closing;
        draft.replace(i, born);
        loopModel.session(i, new SessionEvent.Wanted());
    }

    private void refuse(MutableWorld draft, LoopModel loopModel, int m) {
        ModelMessage message = draft.messages.remove(m);
        int i = message.node();
        NodeModel node = draft.look(i);
        boolean session = message.kind() == ModelMessage.Kind.OPEN || message.kind() == ModelMessage.Kind.RENEW;
        if (session && machines.session.expects(node.session, message.attempt())) {
            loopModel.session(
                    i,
                    message.kind() == ModelMessage.Kind.OPEN
                            ? new SessionEvent.OpenFailed(message.attempt(), "unreachable")
                            : new SessionEvent.RenewFailed(message.attempt(), "unreachable"));
        } else if (!session && machines.election.expects(node.election, message.attempt())) {
            loopModel.election(
                    i,
                    message.kind() == ModelMessage.Kind.CLAIM
                            ? new ElectionEvent.ClaimFailed(false)
                            : new ElectionEvent.ReleaseFailed());
        }
    }
}
