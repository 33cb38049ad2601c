// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.Txn.Operation;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.TermRecord;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * One release on its way. Where every claim of the session in this election was answered, it is one conditional deletion.
 * Where one may still be under way, the session's guard is moved first: after that it cannot be applied any more, and what
 * stands in the store is all that there will be. Loop-confined.
 */
final class ReleaseOperation extends TxnBatcher.EntryCall<ReleaseReply> {
    private final Nonce nonce;
    /** Since it looked, no claim that was sent under an earlier guard can be applied; 0 before that. */
    private long guardOfLook;

    ReleaseOperation(EtcdSession session, QueueEntry entry, Nonce nonce) {
        // A release that comes late, for an attempt before the newest, must not stop the newest one.
        super(session, entry, entry.order().isNewest(nonce));
        this.nonce = nonce;
    }

    CompletableFuture<ReleaseReply> ask() {
        Optional<QueueEntry.Own> mine = entry.own().filter(own -> entry.order().isUpTo(own.nonce(), nonce));
        if (!entry.order().open().isEmpty()) {
            send(TxnBatcher.StepMode.SETTLES, settling(), this::settled);
        } else if (mine.isEmpty()) {
            done(ReleaseReply.NOT_HELD);
        } else {
            remove(mine.get().revision(), mine.get().term(session.lease().ttl()));
        }
        return answer;
    }

    private void done(ReleaseReply reply) {
        session.forgetIfEmpty(entry);
        answer.complete(reply);
    }

    private void send(TxnBatcher.StepMode mode, Txn txn, BiConsumer<Txn.Reply, SessionGuard> applied) {
        session.send(new TxnBatcher.EntryStep(this, mode, at -> txn, 0, applied));
    }

    /** When the guard has moved, it looks what is there. */
    private Txn settling() {
        return new Txn().then(Operation.get(entry.key()), Operation.get(entry.termKey()));
    }

    private void settled(Txn.Reply reply, SessionGuard at) {
        guardOfLook = at.guardRevision();
        Optional<KeyValue> own = reply.first(0);
        if (own.isEmpty()) {
            entry.own().filter(known -> known.revision() <= reply.revision()).ifPresent(known -> entry.gone());
            settleOpen();
        }
        Optional<KeyValue> mine = own.filter(there -> EntryValue.of(there)
                .filter(claim -> !entry.order().isUpTo(claim.nonce(), nonce))
                .isEmpty());
        if (mine.isEmpty()) {
            done(ReleaseReply.NOT_HELD);
            return;
        }
        long created = mine.get().createRevision();
        Optional<TermRecord> recorded = reply.first(1)
                .flatMap(KeyValue::term)
                .filter(term -> term.held() && term.token().sequence() == created);
        Optional<TermRecord> known = entry.own()
                .filter(held -> held.revision() == created)
                .flatMap(held -> held.term(session.lease().ttl()));
        remove(created, known.or(() -> recorded));
    }

    /** Not before the entry is known to be gone: until then, the next release has to look again. */
    private void settleOpen() {
        entry.order().settledIf((claim, sentUnder) -> sentUnder < guardOfLook);
    }

    private void remove(long created, Optional<TermRecord> term) {
        send(TxnBatcher.StepMode.WRITES, entry.deletion(created, term), (reply, at) -> {
            entry.own().filter(own -> own.revision() <= created).ifPresent(own -> entry.gone());
            settleOpen();
            done(reply.succeeded() ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
        });
    }
}
