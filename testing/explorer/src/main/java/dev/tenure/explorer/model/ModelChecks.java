// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import dev.tenure.OverduePolicy;
import dev.tenure.Term;
import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.internal.engine.ElectionEffect;
import dev.tenure.internal.engine.ElectionState;
import java.util.Optional;

/** The properties of the catalogue that a world of this size can show. */
public final class ModelChecks {
    /** A pair of state and event that the machine's table does not have. */
    public static final String NO_ROW = "no row";

    private ModelChecks() {}

    /** S1, S2: no token is issued twice, and each is above all that were issued before, unless the store went back. */
    public static void issue(long token, ModelWorld.History history) {
        if (!history.restored() && token <= history.issued()) {
            throw new ViolationException("S2", "token " + token + " is issued after token " + history.issued());
        }
    }

    /** S7, S9, S14, S19 when a term begins. */
    public static void start(NodeModel node, Term term, MutableWorld draft) {
        if (node.lead.isPresent()) {
            throw new ViolationException("S9", "token " + term.token() + " begins before the last term has ended");
        }
        if (node.proven != term.nonce().low()) {
            throw new ViolationException(
                    "S14", "token " + term.token() + " begins although its grant answered another attempt");
        }
        if (term.token().value() <= node.seenBefore) {
            throw new ViolationException(
                    "S19", "token " + term.token() + " begins although " + node.seenBefore + " was seen");
        }
        boolean fenced = !draft.bounds.has(BrokenRule.NO_FENCE);
        if (fenced && draft.resource.fenceToken() < term.token().value()) {
            throw new ViolationException("S7", "token " + term.token() + " begins before its fence is raised");
        }
    }

    /** S9 when a term ends. */
    public static void end(NodeModel node, Term term) {
        if (node.lead.filter(lead -> lead.term().equals(term)).isEmpty()) {
            throw new ViolationException("S9", "token " + term.token() + " ends without having begun");
        }
    }

    /** S10: nothing is released while its duty runs, or at least not before the duty has lost its authority. */
    public static void release(NodeModel node, ElectionEffect.SendRelease release, Bounds bounds) {
        Optional<NodeModel.Lead> running =
                node.lead.filter(lead -> lead.term().nonce().equals(release.nonce()));
        if (running.isPresent()) {
            boolean letGo =
                    bounds.overdue() == OverduePolicy.RELEASE && running.get().stage() == NodeModel.Stage.DEAD;
            if (!letGo) {
                throw new ViolationException(
                        "S10", "token " + running.get().term().token() + " is released while its duty runs");
            }
        }
    }

    /** S6, S7 when the resource accepts a write. */
    public static void write(ModelWorld.Resource resource, long token, long nonce) {
        if (token < resource.writtenToken()) {
            throw new ViolationException("S6", "token " + token + " writes after token " + resource.writtenToken());
        }
        if (token == resource.writtenToken() && nonce != resource.writtenNonce()) {
            throw new ViolationException("S6", "two holders write under token " + token);
        }
        if (token < resource.fenceToken()) {
            throw new ViolationException(
                    "S7", "token " + token + " writes after the fence was raised to " + resource.fenceToken());
        }
    }

    /** S4, S5, S8 and that nothing is left behind: whatever step has led here. */
    public static void state(MutableWorld draft) {
        int leaders = 0;
        for (int i = 0; i < draft.size(); i++) {
            leaders += draft.look(i).mayWrite(draft.bounds) ? 1 : 0;
        }
        if (leaders > 1 && draft.history.keptItsWord()) {
            throw new ViolationException("S4", "two terms may write at the same time");
        }
        for (int i = 0; i < draft.size(); i++) {
            NodeModel node = draft.look(i);
            if (node.mayWrite(draft.bounds)) {
                contained(i, node, draft);
            }
            expiry(i, node, draft);
            leftovers(i, node, draft);
        }
    }

    private static void contained(int i, NodeModel node, MutableWorld draft) {
        NodeModel.Lead lead = node.lead.orElseThrow();
        StoreState.Claim claim = draft.store.claim();
        boolean stands = claim.held()
                && claim.session() == lead.session()
                && claim.nonce() == lead.term().nonce().low()
                && claim.token() == lead.term().token().value()
                && draft.store.isAlive(lead.session());
        if (!stands && draft.history.keptItsWord()) {
            throw new ViolationException("S5", "node " + i + " may write, but the store does not carry its term");
        }
    }

    private static void expiry(int i, NodeModel node, MutableWorld draft) {
        if (node.lead.isEmpty()) {
            return;
        }
        NodeModel.Lead lead = node.lead.get();
        boolean valid = node.mayWriteByDeadline();
        if (valid && lead.expired()) {
            throw new ViolationException(
                    "S8", "token " + lead.term().token() + " of node " + i + " has authority again");
        }
        if (!valid && !lead.expired()) {
            draft.change(i).lead = Optional.of(lead.seenExpired());
        }
    }

    /** A candidacy that has retired holds nothing in the store, unless a message of it is still under way. */
    private static void leftovers(int i, NodeModel node, MutableWorld draft) {
        if (!(node.election instanceof ElectionState.Retired) || node.open().isEmpty()) {
            return;
        }
        int session = Machines.number(node.open().get().id());
        boolean held = draft.store.names(session);
        boolean underWay = draft.messages.stream().anyMatch(message -> message.node() == i);
        if (held && !underWay && draft.history.keptItsWord()) {
            throw new ViolationException(
                    "L5", "node " + i + " has retired, and its claim stands as long as its session lives");
        }
    }
}
