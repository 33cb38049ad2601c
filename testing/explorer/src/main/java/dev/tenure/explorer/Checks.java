package dev.tenure.explorer;

import dev.tenure.Overdue;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionEffect;
import dev.tenure.internal.engine.ElectionState;
import java.util.Optional;

/** The properties of the catalogue that a world of this size can show. */
final class Checks {
    /** A pair of state and event that the machine's table does not have. */
    static final String NO_ROW = "no row";

    private Checks() {}

    /** S1, S2: no token is issued twice, and each is above all that were issued before, unless the store went back. */
    static void issue(long token, World.History history) {
        if (!history.restored() && token <= history.issued()) {
            throw new Violation("S2", "token " + token + " is issued after token " + history.issued());
        }
    }

    /** S7, S9, S14, S19 when a term begins. */
    static void start(Node node, Term term, Draft draft) {
        if (node.lead.isPresent()) {
            throw new Violation("S9", "token " + term.token() + " begins before the last term has ended");
        }
        if (node.proven != term.nonce().low()) {
            throw new Violation("S14", "token " + term.token() + " begins although its grant answered another attempt");
        }
        if (term.token().value() <= node.seenBefore) {
            throw new Violation("S19", "token " + term.token() + " begins although " + node.seenBefore + " was seen");
        }
        boolean fenced = !draft.bounds.has(Sabotage.NO_FENCE);
        if (fenced && draft.resource.fenceToken() < term.token().value()) {
            throw new Violation("S7", "token " + term.token() + " begins before its fence is raised");
        }
    }

    /** S9 when a term ends. */
    static void end(Node node, Term term) {
        if (node.lead.filter(lead -> lead.term().equals(term)).isEmpty()) {
            throw new Violation("S9", "token " + term.token() + " ends without having begun");
        }
    }

    /** S10: nothing is released while its duty runs, or at least not before the duty has lost its authority. */
    static void release(Node node, ElectionEffect.SendRelease release, Bounds bounds) {
        Optional<Node.Lead> running =
                node.lead.filter(lead -> lead.term().nonce().equals(release.nonce()));
        if (running.isPresent()) {
            boolean letGo = bounds.overdue() == Overdue.RELEASE && running.get().stage() == Node.Stage.DEAD;
            if (!letGo) {
                throw new Violation(
                        "S10", "token " + running.get().term().token() + " is released while its duty runs");
            }
        }
    }

    /** S6, S7 when the resource accepts a write. */
    static void write(World.Resource resource, long token, long nonce) {
        if (token < resource.writtenToken()) {
            throw new Violation("S6", "token " + token + " writes after token " + resource.writtenToken());
        }
        if (token == resource.writtenToken() && nonce != resource.writtenNonce()) {
            throw new Violation("S6", "two holders write under token " + token);
        }
        if (token < resource.fenceToken()) {
            throw new Violation(
                    "S7", "token " + token + " writes after the fence was raised to " + resource.fenceToken());
        }
    }

    /** S4, S5, S8 and that nothing is left behind: whatever step has led here. */
    static void state(Draft draft) {
        int leaders = 0;
        for (int i = 0; i < draft.size(); i++) {
            leaders += draft.look(i).mayWrite(draft.bounds) ? 1 : 0;
        }
        if (leaders > 1 && draft.history.keptItsWord()) {
            throw new Violation("S4", "two terms may write at the same time");
        }
        for (int i = 0; i < draft.size(); i++) {
            Node node = draft.look(i);
            if (node.mayWrite(draft.bounds)) {
                contained(i, node, draft);
            }
            expiry(i, node, draft);
            leftovers(i, node, draft);
        }
    }

    private static void contained(int i, Node node, Draft draft) {
        Node.Lead lead = node.lead.orElseThrow();
        Store.Claim claim = draft.store.claim();
        boolean stands = claim.held()
                && claim.session() == lead.session()
                && claim.nonce() == lead.term().nonce().low()
                && claim.token() == lead.term().token().value()
                && draft.store.isAlive(lead.session());
        if (!stands && draft.history.keptItsWord()) {
            throw new Violation("S5", "node " + i + " may write, but the store does not carry its term");
        }
    }

    private static void expiry(int i, Node node, Draft draft) {
        if (node.lead.isEmpty()) {
            return;
        }
        Node.Lead lead = node.lead.get();
        boolean valid = node.mayWriteByDeadline();
        if (valid && lead.expired()) {
            throw new Violation("S8", "token " + lead.term().token() + " of node " + i + " has authority again");
        }
        if (!valid && !lead.expired()) {
            draft.change(i).lead = Optional.of(lead.seenExpired());
        }
    }

    /** A candidacy that has retired holds nothing in the store, unless a message of it is still under way. */
    private static void leftovers(int i, Node node, Draft draft) {
        if (!(node.election instanceof ElectionState.Retired) || node.open().isEmpty()) {
            return;
        }
        int session = Machines.number(node.open().get().id());
        boolean held = draft.store.names(session);
        boolean underWay = draft.messages.stream().anyMatch(message -> message.node() == i);
        if (held && !underWay && draft.history.keptItsWord()) {
            throw new Violation("L5", "node " + i + " has retired, and its claim stands as long as its session lives");
        }
    }
}
