package dev.tenure.explorer;

/** What a store does with the claims that arrive: the difference between the doors. */
interface Claims {
    static Claims behind(Bounds.Door door, Draft draft) {
        return door == Bounds.Door.LEASE ? new RecordClaims(draft) : new QueueClaims(draft);
    }

    /** One step of a claim that is under way. */
    void claim(int index, Message message);

    /** One step of a release that is under way. */
    void release(int index, Message message);

    /** Who was told to have come to the front looks whether it is true. */
    void look(int index, Message message);

    /** A session is over, and with it whatever it holds. */
    void ended(int session);

    /** Issues the next token for this claim, or nothing if this world goes no further. */
    static boolean grant(Draft draft, int session, long nonce, long floor) {
        int step = draft.bounds.has(Sabotage.TOKENS_REPEAT) ? 0 : 1;
        long token = Math.max(1, Math.max(draft.store.claim().token(), floor) + step);
        if (token > draft.bounds.tokensMax()) {
            return false;
        }
        Checks.issue(token, draft.history);
        draft.history = draft.history.issue(token);
        draft.store = draft.store.with(new Store.Claim(true, session, nonce, token, draft.freshVersion()));
        return true;
    }
}
