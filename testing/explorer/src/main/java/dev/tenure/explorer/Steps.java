package dev.tenure.explorer;

import dev.tenure.Loss;
import dev.tenure.explorer.Move.Kind;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.SessionEvent;

/** What each step makes of a world. */
final class Steps {
    private final Bounds bounds;
    private final Machines machines;
    private final Coverage coverage;

    Steps(Bounds bounds, Machines machines, Coverage coverage) {
        this.bounds = bounds;
        this.machines = machines;
        this.coverage = coverage;
    }

    World initial() {
        Draft draft = new Draft(machines.initial(bounds), bounds, machines);
        for (int i = 0; i < bounds.nodes(); i++) {
            new Shell(draft, coverage).session(i, new SessionEvent.Wanted());
        }
        return draft.done();
    }

    /** @throws Violation if a property does not hold afterwards */
    World after(World world, Move move) {
        Draft draft = new Draft(world, bounds, machines);
        Shell shell = new Shell(draft, coverage);
        switch (move.kind()) {
            case TICK, SLIP, SUSPEND -> passTime(draft, move);
            case STICK -> {
                draft.fault(Fault.STUCK);
                draft.change(move.subject()).stuck = true;
            }
            case UNSTICK -> draft.change(move.subject()).stuck = false;
            case SESSION_TICK -> shell.session(move.subject(), new SessionEvent.Tick());
            case ELECTION_TICK -> shell.election(move.subject(), new ElectionEvent.Tick());
            case ADMIT -> shell.election(move.subject(), new ElectionEvent.Admitted());
            case HINT -> shell.election(move.subject(), new ElectionEvent.Hinted());
            case VERIFY -> {
                shell.election(move.subject(), new ElectionEvent.EndWanted(new Loss.Superseded("another")));
                shell.session(move.subject(), new SessionEvent.RenewWanted());
            }
            case CHECK, WRITE, DUTY_ENDS -> new DutySide(draft, shell).move(move);
            case CLOSE -> {
                draft.fault(Fault.CLOSE);
                draft.change(move.subject()).closing = true;
                shell.election(move.subject(), new ElectionEvent.EndWanted(new Loss.Closed()));
            }
            case CRASH -> crash(draft, shell, move.subject());
            case PROCESS -> new StoreSide(draft).process(move.subject());
            case EXCHANGE -> exchange(draft, shell, move.subject(), true);
            case EXCHANGE_TWICE -> {
                draft.fault(Fault.DUPLICATE);
                draft.messages.add(draft.messages.get(move.subject()).orphaned());
                exchange(draft, shell, move.subject(), true);
            }
            case LOSE_ANSWER -> {
                draft.fault(Fault.LOSS);
                exchange(draft, shell, move.subject(), false);
            }
            case DELIVER -> new Answers(draft, shell).deliver(move.subject());
            case DELAY -> {
                draft.fault(Fault.LATE);
                draft.messages.set(
                        move.subject(), draft.messages.get(move.subject()).delayed());
            }
            case LOSE -> {
                draft.fault(Fault.LOSS);
                draft.messages.remove(move.subject());
            }
            case REFUSE -> {
                draft.fault(Fault.UNREACHABLE);
                refuse(draft, shell, move.subject());
            }
            case EXPIRE -> new StoreSide(draft).expire(move.subject());
            case REVOKE -> {
                draft.fault(Fault.REVOKE);
                new StoreSide(draft).expire(move.subject());
            }
            case BACK_UP -> new StoreSide(draft).backUp();
            case RESTORE -> {
                draft.fault(Fault.RESTORE);
                new StoreSide(draft).restore();
            }
        }
        Checks.state(draft);
        return draft.done();
    }

    private static void passTime(Draft draft, Move move) {
        draft.store = draft.store.tick();
        for (int i = 0; i < draft.size(); i++) {
            Node node = draft.change(i);
            boolean meant = move.kind() != Kind.TICK && move.subject() == i;
            if (!meant) {
                node.nanos += Machines.TICK;
            } else if (move.kind() == Kind.SLIP) {
                draft.fault(Fault.SLIP);
                node.slips++;
            } else {
                node.wallAheadTicks++;
                draft.fault(Fault.SUSPEND);
            }
        }
    }

    /** Up to the answer, and back if somebody listens; whoever is stuck finds it later. */
    private void exchange(Draft draft, Shell shell, int m, boolean answered) {
        Message message = draft.messages.remove(m);
        draft.messages.add(0, message);
        StoreSide store = new StoreSide(draft);
        while (isFirst(draft, message) && !draft.messages.get(0).isAnswer()) {
            store.process(0);
        }
        boolean there = isFirst(draft, message);
        if (there && !answered) {
            draft.messages.remove(0);
        } else if (there && !draft.look(message.node()).stuck) {
            new Answers(draft, shell).deliver(0);
        }
    }

    private static boolean isFirst(Draft draft, Message message) {
        return !draft.messages.isEmpty() && draft.messages.get(0).isSameCallAs(message);
    }

    private void crash(Draft draft, Shell shell, int i) {
        draft.fault(Fault.CRASH);
        Node dead = draft.look(i);
        for (int m = draft.messages.size() - 1; m >= 0; m--) {
            Message message = draft.messages.get(m);
            boolean gone =
                    message.isAnswer() || message.kind() == Message.Kind.RAISE || message.kind() == Message.Kind.FRONT;
            if (message.node() == i && gone) {
                draft.messages.remove(m);
            } else if (message.node() == i) {
                draft.messages.set(m, message.orphaned());
            }
        }
        Node born = machines.newborn(dead.nanos, dead.slips);
        born.closing = dead.closing;
        draft.replace(i, born);
        shell.session(i, new SessionEvent.Wanted());
    }

    private void refuse(Draft draft, Shell shell, int m) {
        Message message = draft.messages.remove(m);
        int i = message.node();
        Node node = draft.look(i);
        boolean session = message.kind() == Message.Kind.OPEN || message.kind() == Message.Kind.RENEW;
        if (session && machines.session.expects(node.session, message.attempt())) {
            shell.session(
                    i,
                    message.kind() == Message.Kind.OPEN
                            ? new SessionEvent.OpenFailed(message.attempt(), "unreachable")
                            : new SessionEvent.RenewFailed(message.attempt(), "unreachable"));
        } else if (!session && machines.election.expects(node.election, message.attempt())) {
            shell.election(
                    i,
                    message.kind() == Message.Kind.CLAIM
                            ? new ElectionEvent.ClaimFailed(false)
                            : new ElectionEvent.ReleaseFailed());
        }
    }
}
