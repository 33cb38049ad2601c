// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.explorer.model.ModelChecks;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.MutableWorld;
import dev.tenure.explorer.model.StoreState;

/** What a store does with the claims that arrive: the difference between the doors. */
interface Claims {
    static Claims behind(Bounds.ClaimOrdering claimOrdering, MutableWorld draft) {
        return claimOrdering == Bounds.ClaimOrdering.LEASE ? new RecordClaims(draft) : new QueueClaims(draft);
    }

    /** One step of a claim that is under way. */
    void claim(int index, ModelMessage message);

    /** One step of a release that is under way. */
    void release(int index, ModelMessage message);

    /** A node that was notified that it came to the front reads whether it is true. */
    void look(int index, ModelMessage message);

    /** A session is over, and with it whatever it holds. */
    void ended(int session);

    /** Issues the next token for this claim, or nothing if this world goes no further. */
    static boolean grant(MutableWorld draft, int session, long nonce, long floor) {
        int step = draft.bounds.has(BrokenRule.TOKENS_REPEAT) ? 0 : 1;
        long token = Math.max(1, Math.max(draft.store.claim().token(), floor) + step);
        if (token > draft.bounds.tokensMax()) {
            return false;
        }
        ModelChecks.issue(token, draft.history);
        draft.history = draft.history.issue(token);
        draft.store = draft.store.with(new StoreState.Claim(true, session, nonce, token, draft.freshVersion()));
        return true;
    }
}
