package dev.tenure.explorer;

import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.internal.engine.ElectionEvent;
import java.util.Optional;

/** What the duties do, and the resource that they write to. */
final class DutySide {
    private final Draft draft;
    private final Shell shell;

    DutySide(Draft draft, Shell shell) {
        this.draft = draft;
        this.shell = shell;
    }

    void move(Move move) {
        int i = move.subject();
        Node node = draft.change(i);
        Node.Lead lead = node.lead.orElseThrow();
        if (move.kind() == Move.Kind.CHECK) {
            node.lead = Optional.of(lead.checking(true));
        } else if (move.kind() == Move.Kind.WRITE) {
            write(i, node, lead);
        } else {
            // A loop that left because its authority ended has not completed anything.
            boolean active = lead.stage() == Node.Stage.ACTIVE && node.mayWrite(draft.bounds);
            shell.election(i, new ElectionEvent.DutyEnded(active ? new Loss.Completed() : new Loss.Expired()));
        }
    }

    private boolean accepts(long token, long nonce) {
        World.Resource resource = draft.resource;
        return draft.bounds.has(Sabotage.NO_FENCE)
                || token > resource.fenceToken()
                || (token == resource.fenceToken() && nonce == resource.fenceNonce());
    }

    private void write(int i, Node node, Node.Lead lead) {
        node.lead = Optional.of(lead.checking(false));
        long token = lead.term().token().value();
        long nonce = lead.term().nonce().low();
        if (accepts(token, nonce)) {
            Checks.write(draft.resource, token, nonce);
            draft.resource = new World.Resource(token, nonce, token, nonce);
            return;
        }
        refused(i, node, draft.resource.fenceToken());
    }

    private void refused(int i, Node node, long seen) {
        node.lead = node.lead.map(lead -> lead.at(Node.Stage.DEAD));
        node.floor = Math.max(node.floor, seen);
        shell.election(i, new ElectionEvent.EndWanted(new Loss.Fenced(new FencingToken(seen))));
    }

    /** A fence is raised, and answers at once; who asked may have given up meanwhile. */
    void raise(Message message) {
        int i = message.node();
        Node node = draft.change(i);
        boolean raised = accepts(message.token(), message.nonce());
        boolean expected = draft.machines.election.expects(node.election, message.attempt());
        if (raised) {
            World.Resource before = draft.resource;
            draft.resource =
                    new World.Resource(message.token(), message.nonce(), before.writtenToken(), before.writtenNonce());
        } else {
            node.floor = Math.max(node.floor, draft.resource.fenceToken());
        }
        if (expected) {
            shell.election(
                    i, raised ? new ElectionEvent.FencesRaised() : new ElectionEvent.FenceFailed("it has seen more"));
        }
    }
}
