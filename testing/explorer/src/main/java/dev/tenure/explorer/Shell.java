package dev.tenure.explorer;

import dev.tenure.Loss;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionEffect;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionEffect;
import dev.tenure.internal.engine.SessionEvent;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.Step;
import java.util.Optional;

/**
 * What the production loop does around the machines, in small: hands events to them and carries out what they ask for. The
 * properties that concern a single effect are checked here.
 */
final class Shell {
    private final Draft draft;
    private final Coverage coverage;

    Shell(Draft draft, Coverage coverage) {
        this.draft = draft;
        this.coverage = coverage;
    }

    void session(int i, SessionEvent event) {
        Node node = draft.change(i);
        draft.countFor(i);
        coverage.note(node.session, event);
        Step<SessionState, SessionEffect> step =
                draft.machines.saboteur.on(node.session, event, node.nanos, node.wallMillis());
        node.session = step.state();
        for (SessionEffect effect : step.effects()) {
            carryOut(i, node, effect);
        }
    }

    private void carryOut(int i, Node node, SessionEffect effect) {
        if (effect instanceof SessionEffect.SendOpen send) {
            int session = draft.machines.freshSession();
            draft.send(Message.sent(i, Message.Kind.OPEN, send.attempt(), session, 0, 0));
        } else if (effect instanceof SessionEffect.SendRenew send) {
            int session = Machines.number(node.open().orElseThrow().id());
            draft.send(Message.sent(i, Message.Kind.RENEW, send.attempt(), session, 0, 0));
        } else if (effect instanceof SessionEffect.Publish publish) {
            if (publish.first()) {
                election(i, new ElectionEvent.SessionOpened());
            } else if (node.election instanceof ElectionState.Raising) {
                election(i, new ElectionEvent.Tick());
            }
        } else if (effect instanceof SessionEffect.Lose lose) {
            node.past = Machines.number(lose.id());
            election(i, new ElectionEvent.SessionLost(lose.id(), lose.loss()));
            closePastWhenDrained(i, node);
        }
    }

    void election(int i, ElectionEvent event) {
        Node node = draft.change(i);
        draft.countFor(i);
        coverage.note(node.election, event);
        Step<ElectionState, ElectionEffect> step = step(node, event);
        node.election = step.state();
        for (ElectionEffect effect : step.effects()) {
            carryOut(i, node, effect);
        }
        closePastWhenDrained(i, node);
        boolean tripped =
                node.election instanceof ElectionState.Raising && !node.scene().authorised();
        if (tripped) {
            session(i, new SessionEvent.RenewWanted());
        }
    }

    private Step<ElectionState, ElectionEffect> step(Node node, ElectionEvent event) {
        try {
            return draft.machines.saboteur.on(node.election, event, node.scene());
        } catch (IllegalStateException illegal) {
            throw new Violation(Checks.NO_ROW, String.valueOf(illegal.getMessage()));
        }
    }

    private void carryOut(int i, Node node, ElectionEffect effect) {
        if (effect instanceof ElectionEffect.SendClaim send) {
            node.floorAtClaim = node.floor;
            node.newestCall = send.attempt();
            long floor = draft.bounds.has(Sabotage.NO_FLOOR) ? 0 : node.floor;
            int session = Machines.number(node.open().orElseThrow().id());
            draft.send(Message.sent(
                    i, Message.Kind.CLAIM, send.attempt(), session, send.nonce().low(), floor));
        } else if (effect instanceof ElectionEffect.SendRelease send) {
            Checks.release(node, send, draft.bounds);
            node.newestCall = send.attempt();
            int session = Machines.number(node.open().orElseThrow().id());
            draft.send(Message.sent(
                    i,
                    Message.Kind.RELEASE,
                    send.attempt(),
                    session,
                    send.nonce().low(),
                    0));
        } else if (effect instanceof ElectionEffect.RaiseFences raise) {
            Term term = raise.term();
            long token = term.token().value();
            draft.send(Message.sent(
                    i, Message.Kind.RAISE, raise.attempt(), 0, term.nonce().low(), token));
        } else if (effect instanceof ElectionEffect.StartDuty start) {
            Checks.start(node, start.term(), draft);
            int session = Machines.number(node.open().orElseThrow().id());
            node.lead = Optional.of(new Node.Lead(start.term(), session, Node.Stage.ACTIVE, false, false));
        } else if (effect instanceof ElectionEffect.StopDuty stop) {
            boolean dead = stop.loss() instanceof Loss.SessionLost || stop.loss() instanceof Loss.Fenced;
            end(node, dead);
        } else if (effect instanceof ElectionEffect.RevokeAuthority) {
            end(node, true);
        } else if (effect instanceof ElectionEffect.EndTerm over) {
            Checks.end(node, over.term());
            node.lead = Optional.empty();
        }
    }

    private static void end(Node node, boolean dead) {
        Node.Lead lead = node.lead.orElseThrow(() -> new Violation("S9", "a duty is stopped that does not run"));
        if (dead) {
            node.lead = Optional.of(lead.at(Node.Stage.DEAD));
        } else if (lead.stage() == Node.Stage.ACTIVE) {
            node.lead = Optional.of(lead.at(Node.Stage.ENDING));
        }
    }

    private void closePastWhenDrained(int i, Node node) {
        boolean runs = node.lead.filter(lead -> lead.session() == node.past).isPresent();
        if (node.past != 0 && !runs) {
            draft.send(Message.sent(i, Message.Kind.CLOSE, 0, node.past, 0, 0));
            node.past = 0;
        }
    }
}
