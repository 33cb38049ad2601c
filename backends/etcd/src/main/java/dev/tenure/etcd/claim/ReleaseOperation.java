package dev.tenure.etcd.claim;

import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Operation;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.TxnReply;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One release on its way. Where every claim of the session in this election was answered, it is one conditional deletion.
 * Where one may still be under way, the session's guard is moved first: after that it cannot be applied any more, and what
 * stands in the store is all that there will be. Loop-confined.
 */
final class ReleaseOperation {
    private final QueueEntries entries;
    private final QueueEntry entry;
    private final Nonce nonce;
    private final long call;
    private final CompletableFuture<ReleaseReply> answer = new CompletableFuture<>();

    ReleaseOperation(QueueEntries entries, QueueEntry entry, Nonce nonce) {
        this.entries = entries;
        this.entry = entry;
        this.nonce = nonce;
        // A release that comes late, for an attempt before the newest, must not stop the newest one.
        this.call = entry.order().isNewest(nonce)
                ? entry.order().nextCall()
                : entry.order().newestCall();
    }

    CompletableFuture<ReleaseReply> ask() {
        Optional<Long> doubted = entry.order().open().values().stream().max(Long::compare);
        if (doubted.isPresent()) {
            Stages.follow(
                    entries.batcher().moveGuardBeyond(doubted.get()),
                    now -> {
                        entry.order().settledIf((claim, sentUnder) -> sentUnder < now.guardRevision());
                        entries.batcher().send(new Look());
                    },
                    answer::completeExceptionally);
            return answer;
        }
        Optional<QueueEntry.Own> mine = entry.own().filter(own -> entry.order().isUpTo(own.nonce(), nonce));
        if (mine.isEmpty()) {
            done(ReleaseReply.NOT_HELD);
        } else {
            Optional<TermRecord> term = mine.get().grant().map(grant -> entries.led(grant.token(), grant.nonce()));
            entries.batcher().send(new Remove(mine.get().revision(), term));
        }
        return answer;
    }

    private void done(ReleaseReply reply) {
        entries.forgetIfEmpty(entry);
        answer.complete(reply);
    }

    private abstract class Part implements TxnBatcher.BatchedOp {
        @Override
        public boolean isWanted() {
            return entries.isOpen() && entry.order().newestCall() == call;
        }

        @Override
        public Object subject() {
            return entry;
        }

        @Override
        public void failed(BackendException failure) {
            answer.completeExceptionally(failure);
        }
    }

    private final class Look extends Part {
        @Override
        public Txn txn(SessionGuard at) {
            return new Txn().then(Operation.get(entry.key()), Operation.get(entry.termKey()));
        }

        @Override
        public void answered(TxnReply reply, SessionGuard at, long revision) {
            Optional<KeyValue> own = reply.first(0);
            if (own.isEmpty()) {
                entry.gone();
            }
            Optional<KeyValue> mine = own.filter(there -> EntryValue.of(there)
                    .filter(claim -> !entry.order().isUpTo(claim.nonce(), nonce))
                    .isEmpty());
            if (mine.isEmpty()) {
                done(ReleaseReply.NOT_HELD);
                return;
            }
            long created = mine.get().createRevision();
            Optional<TermRecord> term = reply.first(1)
                    .flatMap(TermCodec::find)
                    .filter(last -> last.held() && last.token().sequence() == created);
            entries.batcher().send(new Remove(created, term));
        }
    }

    private final class Remove extends Part {
        private final long revision;
        private final Optional<TermRecord> term;

        Remove(long revision, Optional<TermRecord> term) {
            this.revision = revision;
            this.term = term;
        }

        @Override
        public Txn txn(SessionGuard at) {
            return entry.deletion(revision, term);
        }

        @Override
        public void answered(TxnReply reply, SessionGuard at, long appliedAt) {
            entry.own().filter(own -> own.revision() <= revision).ifPresent(own -> entry.gone());
            done(reply.succeeded() ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
        }
    }
}
