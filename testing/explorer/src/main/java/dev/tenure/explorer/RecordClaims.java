package dev.tenure.explorer;

/** A claim as a record that is read and then written on condition, by the rules of the lease adapter. */
final class RecordClaims implements Claims {
    private final Draft draft;

    RecordClaims(Draft draft) {
        this.draft = draft;
    }

    @Override
    public void claim(int index, Message message) {
        if (isCurrent(message)) {
            boolean granted = Claims.grant(draft, message.session(), message.nonce(), message.token());
            if (granted) {
                long token = draft.store.claim().token();
                draft.answer(index, message.answered(Message.Stage.GRANTED, token));
            } else {
                draft.messages.remove(index); // as far as this world goes: lost
            }
        } else if (draft.goesOn(message)) {
            decide(index, message);
        } else {
            draft.messages.remove(index);
        }
    }

    private boolean isCurrent(Message message) {
        return message.stage() == Message.Stage.WRITING
                && message.version() == draft.store.claim().version();
    }

    private void decide(int index, Message message) {
        Store.Claim claim = draft.store.claim();
        boolean mine = claim.held() && claim.session() == message.session();
        boolean believed = (mine && claim.nonce() == message.nonce())
                || (mine && draft.bounds.has(Sabotage.OLDER_NONCE_BELIEVED))
                || (claim.held() && draft.bounds.has(Sabotage.FOREIGN_NONCE_BELIEVED));
        if (believed) {
            draft.answer(index, message.answered(Message.Stage.GRANTED, claim.token()));
        } else if (claim.held() && !mine && draft.store.isAlive(claim.session())) {
            draft.answer(index, message.answered(Message.Stage.MUST_WAIT, claim.token()));
        } else {
            draft.answer(index, message.writing(claim.version()));
        }
    }

    @Override
    public void release(int index, Message message) {
        Store.Claim claim = draft.store.claim();
        boolean mine = claim.held() && isUpTo(claim, message);
        if (isCurrent(message)) {
            long version = draft.freshVersion();
            draft.store = draft.store.with(mine ? Store.Claim.vacant(claim.token(), version) : claim.touched(version));
            draft.answer(index, message.answered(Message.Stage.DONE, 0));
        } else if (!draft.goesOn(message)) {
            draft.messages.remove(index);
        } else if (mine || mayStillLand(message)) {
            draft.answer(index, message.writing(claim.version()));
        } else {
            draft.answer(index, message.answered(Message.Stage.DONE, 0));
        }
    }

    /** Is it the claim of this nonce, or of one before it? A newer one is another term and is left alone. */
    private boolean isUpTo(Store.Claim claim, Message release) {
        return draft.bounds.has(Sabotage.RELEASE_UNCONDITIONAL)
                || (claim.session() == release.session() && claim.nonce() <= release.nonce());
    }

    private boolean mayStillLand(Message release) {
        if (draft.bounds.has(Sabotage.RELEASE_SETTLES_NOTHING)) {
            return false;
        }
        for (Message other : draft.messages) {
            boolean lands =
                    other.kind() == Message.Kind.CLAIM && other.session() == release.session() && isCurrent(other);
            if (lands) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void look(int index, Message message) {
        throw new IllegalStateException("nobody is told to have come to the front: there is no queue");
    }

    /** The record stands, and says nothing any more. */
    @Override
    public void ended(int session) {}
}
