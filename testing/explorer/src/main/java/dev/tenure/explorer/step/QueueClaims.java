// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.explorer.BrokenRule;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.MutableWorld;
import dev.tenure.explorer.model.StoreState;
import java.util.ArrayList;
import java.util.List;

/**
 * Claims that wait in a queue, one of each session. The store applies a call at once, refuses one that was overtaken by a
 * newer call of its session, and counts its tokens by itself, whatever floor the claim names.
 */
final class QueueClaims implements Claims {
    private final MutableWorld draft;

    QueueClaims(MutableWorld draft) {
        this.draft = draft;
    }

    @Override
    public void claim(int index, ModelMessage message) {
        if (!draft.store.takes(message)) {
            draft.messages.remove(index);
            return;
        }
        int session = message.session();
        draft.store = draft.store.called(message);
        if (!draft.store.isOf(session, message.nonce())) {
            leave(session);
            enter(session, message.nonce());
        }
        StoreState.Claim head = draft.store.claim();
        if (head.held() && head.session() == session) {
            draft.answer(index, message.answered(ModelMessage.Stage.GRANTED, head.token()));
        } else if (draft.store.isOf(session, message.nonce())) {
            draft.answer(index, message.answered(ModelMessage.Stage.MUST_WAIT, head.token()));
        } else {
            draft.messages.remove(index); // as far as this world goes: lost
        }
    }

    private void enter(int session, long nonce) {
        if (!draft.store.claim().held()) {
            Claims.grant(draft, session, nonce, 0);
            return;
        }
        List<StoreState.QueuePlace> queue = new ArrayList<>(draft.store.queue());
        queue.add(new StoreState.QueuePlace(session, nonce));
        draft.store = draft.store.queued(queue);
    }

    @Override
    public void release(int index, ModelMessage message) {
        if (draft.store.isAlive(message.session()) && !draft.store.takes(message)) {
            draft.messages.remove(index);
            return;
        }
        draft.store = draft.store.called(message);
        boolean leads = draft.store.claim().session() == message.session();
        if (leads || !draft.bounds.has(BrokenRule.RELEASE_KEEPS_PLACE)) {
            leave(message.session());
        }
        draft.answer(index, message.answered(ModelMessage.Stage.DONE, 0));
    }

    @Override
    public void look(int index, ModelMessage message) {
        StoreState.Claim head = draft.store.claim();
        boolean proved = head.held() && head.session() == message.session() && head.nonce() == message.nonce();
        if (proved) {
            draft.answer(index, message.answered(ModelMessage.Stage.GRANTED, head.token()));
        } else {
            draft.messages.remove(index);
        }
    }

    @Override
    public void ended(int session) {
        leave(session);
    }

    private void leave(int session) {
        List<StoreState.QueuePlace> queue = new ArrayList<>(draft.store.queue());
        queue.removeIf(queuePlace -> queuePlace.session() == session);
        draft.store = draft.store.queued(queue);
        StoreState.Claim head = draft.store.claim();
        if (head.held() && head.session() == session) {
            draft.store = draft.store.with(StoreState.Claim.vacant(head.token(), draft.freshVersion()));
            advance(queue);
        }
    }

    private void advance(List<StoreState.QueuePlace> queue) {
        if (queue.isEmpty()) {
            return;
        }
        StoreState.QueuePlace first = queue.remove(0);
        if (Claims.grant(draft, first.session(), first.nonce(), 0)) {
            draft.store = draft.store.queued(queue);
            int node = Machines.owner(first.session());
            draft.send(ModelMessage.sent(node, ModelMessage.Kind.FRONT, 0, first.session(), first.nonce(), 0));
        } else {
            draft.store = draft.store.queued(List.of()); // as far as this world goes: nobody is left
        }
    }
}
