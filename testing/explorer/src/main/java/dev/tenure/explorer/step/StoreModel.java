// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.MutableWorld;
import dev.tenure.explorer.model.StoreState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a message does when it arrives at the store, and what the store does by itself. */
final class StoreModel {
    private final MutableWorld draft;
    private final Claims claims;

    StoreModel(MutableWorld draft) {
        this.draft = draft;
        this.claims = Claims.behind(draft.bounds.claimOrdering(), draft);
    }

    /** One step of a message that is under way: others may have come first. */
    void process(int index) {
        ModelMessage message = draft.messages.get(index);
        switch (message.kind()) {
            case OPEN -> open(index, message);
            case RENEW -> renew(index, message);
            case CLAIM -> claims.claim(index, message);
            case RELEASE -> claims.release(index, message);
            case FRONT -> claims.look(index, message);
            case CLOSE -> {
                draft.messages.remove(index);
                expire(message.session());
            }
            case RAISE -> throw new IllegalStateException("a fence is no message to the store");
        }
    }

    private void open(int index, ModelMessage message) {
        if (message.orphan()) {
            draft.messages.remove(index); // a session that nobody will ever use
            return;
        }
        extend(message.session(), 0);
        draft.answer(index, message.at(ModelMessage.Stage.DONE));
    }

    private void renew(int index, ModelMessage message) {
        Optional<StoreState.Lease> lease = draft.store.lease(message.session());
        lease.ifPresent(alive -> extend(message.session(), alive.newestCall()));
        draft.answer(index, message.at(lease.isPresent() ? ModelMessage.Stage.DONE : ModelMessage.Stage.GONE));
    }

    private void extend(int session, long newestCall) {
        List<StoreState.Lease> leases =
                new ArrayList<>(draft.store.without(session).sessions());
        leases.add(new StoreState.Lease(session, draft.store.ticks() + Machines.TTL_TICKS, newestCall));
        draft.store = draft.store.with(leases);
    }

    void expire(int session) {
        draft.store = draft.store.without(session);
        claims.ended(session);
    }

    void backUp() {
        draft.store = draft.store.backedUp();
    }

    void restore() {
        draft.store = draft.store.restored();
    }
}
