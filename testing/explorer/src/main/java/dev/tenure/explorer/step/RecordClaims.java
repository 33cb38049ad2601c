// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.explorer.BrokenRule;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.MutableWorld;
import dev.tenure.explorer.model.StoreState;

/** A claim as a record that is read and then written on condition, by the rules of the lease adapter. */
final class RecordClaims implements Claims {
    private final MutableWorld draft;

    RecordClaims(MutableWorld draft) {
        this.draft = draft;
    }

    @Override
    public void claim(int index, ModelMessage message) {
        if (isCurrent(message)) {
            boolean granted = Claims.grant(draft, message.session(), message.nonce(), message.token());
            if (granted) {
                long token = draft.store.claim().token();
                draft.answer(index, message.answered(ModelMessage.Stage.GRANTED, token));
            } else {
                draft.messages.remove(index); // as far as this world goes: lost
            }
        } else if (draft.goesOn(message)) {
            decide(index, message);
        } else {
            draft.messages.remove(index);
        }
    }

    private boolean isCurrent(ModelMessage message) {
        return message.stage() == ModelMessage.Stage.WRITING
                && message.version() == draft.store.claim().version();
    }

    private void decide(int index, ModelMessage message) {
        StoreState.Claim claim = draft.store.claim();
        boolean mine = claim.held() && claim.session() == message.session();
        boolean believed = (mine && claim.nonce() == message.nonce())
                || (mine && draft.bounds.has(BrokenRule.OLDER_NONCE_BELIEVED))
                || (claim.held() && draft.bounds.has(BrokenRule.FOREIGN_NONCE_BELIEVED));
        if (believed) {
            draft.answer(index, message.answered(ModelMessage.Stage.GRANTED, claim.token()));
        } else if (claim.held() && !mine && draft.store.isAlive(claim.session())) {
            draft.answer(index, message.answered(ModelMessage.Stage.MUST_WAIT, claim.token()));
        } else {
            draft.answer(index, message.writing(claim.version()));
        }
    }

    @Override
    public void release(int index, ModelMessage message) {
        StoreState.Claim claim = draft.store.claim();
        boolean mine = claim.held() && isUpTo(claim, message);
        if (isCurrent(message)) {
            long version = draft.freshVersion();
            draft.store =
                    draft.store.with(mine ? StoreState.Claim.vacant(claim.token(), version) : claim.touched(version));
            draft.answer(index, message.answered(ModelMessage.Stage.DONE, 0));
        } else if (!draft.goesOn(message)) {
            draft.messages.remove(index);
        } else if (mine || mayStillLand(message)) {
            draft.answer(index, message.writing(claim.version()));
        } else {
            draft.answer(index, message.answered(ModelMessage.Stage.DONE, 0));
        }
    }

    /** Is it the claim of this nonce, or of one before it? A newer one is another term and is left alone. */
    private boolean isUpTo(StoreState.Claim claim, ModelMessage release) {
        return draft.bounds.has(BrokenRule.RELEASE_UNCONDITIONAL)
                || (claim.session() == release.session() && claim.nonce() <= release.nonce());
    }

    private boolean mayStillLand(ModelMessage release) {
        if (draft.bounds.has(BrokenRule.RELEASE_SETTLES_NOTHING)) {
            return false;
        }
        for (ModelMessage other : draft.messages) {
            boolean lands =
                    other.kind() == ModelMessage.Kind.CLAIM && other.session() == release.session() && isCurrent(other);
            if (lands) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void look(int index, ModelMessage message) {
        throw new IllegalStateException("nobody is told to have come to the front: there is no queue");
    }

    /** The record stands, and says nothing any more. */
    @Override
    public void ended(int session) {}
}
