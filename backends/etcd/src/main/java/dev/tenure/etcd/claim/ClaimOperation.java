package dev.tenure.etcd.claim;

import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Operation;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.TxnReply;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.support.TermRecord;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One claim on its way: create an entry, or find the one that stands; then prove that it is at the front, or learn whom to
 * wait for. Loop-confined.
 *
 * <p>Granted is decided in the store, in one transaction: either the election was empty and my entry was created in it; or
 * my entry is the very one that I created (same create revision, same lease) and no entry in the election is older. Nobody
 * can come before it afterwards, because revisions only grow. The term is recorded in the same transaction, or right after it.
 *
 * <p>An entry of an older attempt is never believed: it is removed, and a new one is created with a new revision. That takes
 * two transactions, since a store that sees a deletion and a creation of one key in one refuses it.
 */
final class ClaimOperation {
    private static final int ROUNDS_MAX = 4;

    private final QueueEntries entries;
    private final QueueEntry entry;
    private final ClaimRequest request;
    private final long call;
    private final CompletableFuture<ClaimReply> answer = new CompletableFuture<>();
    private int roundsLeft = ROUNDS_MAX;
    private boolean pushed;

    ClaimOperation(QueueEntries entries, QueueEntry entry, ClaimRequest request, long call) {
        this.entries = entries;
        this.entry = entry;
        this.request = request;
        this.call = call;
    }

    /** Asks; an entry of this very attempt keeps its place. */
    CompletableFuture<ClaimReply> ask() {
        Optional<QueueEntry.Own> mine = entry.own(nonce());
        entries.batcher().send(mine.isPresent() ? new Prove(mine.get()) : new Create());
        return answer;
    }

    private Nonce nonce() {
        return request.nonce();
    }

    /**
     * The entry before mine was said to have gone, so mine should be at the front now. Where other steps are under way, proof and
     * record are one transaction: then the number of requests counts, not the moment. Nobody has asked: a grant is
     * pushed, unless it is known already, and what goes wrong is left to the engine's poll.
     */
    void take() {
        pushed = true;
        entry.own(nonce())
                .ifPresent(mine ->
                        entries.batcher().send(entries.batcher().isIdle() ? new Prove(mine) : new TakeLead(mine)));
    }

    /** Records the term again, which was proved before. */
    void record() {
        entry.own(nonce()).ifPresent(mine -> entries.batcher().send(new TakeLead(mine)));
    }

    boolean isWanted() {
        return entries.isOpen() && entry.order().newestCall() == call;
    }

    /** What this very attempt was granted. */
    private Optional<ClaimReply.Granted> granted() {
        return entry.own(nonce()).flatMap(QueueEntry.Own::grant);
    }

    /** One step: wanted for as long as no newer call in its election has taken over. */
    private abstract class Step implements TxnBatcher.BatchedOp {
        @Override
        public boolean isWanted() {
            return ClaimOperation.this.isWanted();
        }

        @Override
        public Object subject() {
            return entry;
        }

        @Override
        public void failed(BackendException failure) {
            answer.completeExceptionally(failure);
        }

        @Override
        public void answered(TxnReply reply, SessionGuard at, long revision) {
            if (!isWanted()) {
                failed(unknown("the claim of " + entry.election() + " was overtaken by a newer call"));
                return;
            }
            applied(reply, at, revision);
        }

        abstract void applied(TxnReply reply, SessionGuard at, long revision);
    }

    private static BackendException unknown(String why) {
        return new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, why);
    }

    /** Into an empty election, or to the end of its queue, unless an entry of my session stands there already. */
    private final class Create extends Step {
        private final String value = EntryValue.text(request, entries.now());

        @Override
        public Txn txn(SessionGuard at) {
            entry.order().opened(this, at.guardRevision());
            String term = TermCodec.ofThisRevision(
                    at.era().era(), nonce(), entries.lease().ttl(), entries.now());
            Txn look = new Txn()
                    .ifEmpty(entry.range())
                    .then(Operation.put(entry.termKey(), term))
                    .otherwise(
                            Operation.last(entry.range()),
                            Operation.first(entry.range()),
                            Operation.get(entry.termKey()));
            Txn create = new Txn()
                    .ifCreated(entry.key(), 0)
                    .then(Operation.put(entry.key(), value, entries.lease().id()))
                    .otherwise(Operation.get(entry.key()));
            return new Txn().then(look.inside(), create.inside());
        }

        @Override
        public int bytes() {
            return super.bytes() + value.length();
        }

        @Override
        public void failed(BackendException failure) {
            if (failure.effect() == Effect.NONE) {
                entry.order().settled(this);
            }
            super.failed(failure);
        }

        @Override
        public void answered(TxnReply reply, SessionGuard at, long revision) {
            entry.order().settled(this);
            super.answered(reply, at, revision);
        }

        @Override
        void applied(TxnReply reply, SessionGuard at, long revision) {
            TxnReply look = reply.txn(0);
            TxnReply create = reply.txn(1);
            if (look.succeeded()) {
                entry.created(nonce(), revision, Optional.empty());
                grant(ElectionScanner.token(at.era().era(), revision), look.replaced(0));
            } else if (create.succeeded()) {
                entry.created(nonce(), revision, Optional.empty());
                queue(look.first(0), leader(look.first(1), look.first(2), at), revision);
            } else {
                meetOwn(create.first(0).orElseThrow(), look.first(2).flatMap(TermCodec::find));
            }
        }

        private void meetOwn(KeyValue own, Optional<TermRecord> last) {
            Optional<TermRecord> term = last.filter(known -> known.token().sequence() == own.createRevision());
            Optional<Nonce> standing = EntryValue.of(own).map(EntryValue::nonce);
            if (!standing.equals(Optional.of(nonce()))) {
                next(new Remove(own.createRevision(), term.filter(TermRecord::held)));
                return;
            }
            Optional<ClaimReply.Granted> known = term.filter(
                            mine -> mine.owner().equals(nonce().toString()))
                    .map(mine -> granted(mine.token(), Optional.of(mine)));
            entry.created(nonce(), own.createRevision(), known);
            next(new Prove(entry.own(nonce()).orElseThrow()));
        }
    }

    /** Takes away what an older attempt has left. */
    private final class Remove extends Step {
        private final long created;
        private final Optional<TermRecord> term;

        Remove(long created, Optional<TermRecord> term) {
            this.created = created;
            this.term = term;
        }

        @Override
        public Txn txn(SessionGuard at) {
            return entry.deletion(created, term);
        }

        @Override
        void applied(TxnReply reply, SessionGuard at, long revision) {
            entry.gone();
            next(new Create());
        }
    }

    /**
     * A linearizable read of my own entry and of the one before it. If the very entry that I have created is there, on my lease,
     * and there is none before it, that is the proof. It only reads: most of those that ask again still have to wait, and a
     * write would cost the whole cluster. The transaction that records the term follows it. Not both at once: servers that write
     * to their disks answer no reads meanwhile.
     */
    private final class Prove extends Step {
        private final QueueEntry.Own standing;

        Prove(QueueEntry.Own standing) {
            this.standing = standing;
        }

        @Override
        public boolean onlyReads() {
            return true;
        }

        @Override
        public Txn txn(SessionGuard at) {
            return new Txn()
                    .then(
                            Operation.get(entry.key()),
                            Operation.lastBefore(entry.range(), standing.revision()),
                            Operation.first(entry.range()),
                            Operation.get(entry.termKey()));
        }

        @Override
        void applied(TxnReply reply, SessionGuard at, long revision) {
            Optional<KeyValue> predecessor = reply.first(1);
            boolean stands = reply.first(0)
                    .filter(own -> EntryValue.isOf(
                            own, standing.revision(), entries.lease().id(), nonce()))
                    .isPresent();
            if (!stands || wasRemovedMeanwhile()) {
                entry.gone();
                next(new Create());
            } else if (predecessor.isPresent()) {
                queue(predecessor, leader(reply.first(2), reply.first(3), at), revision);
            } else if (!answerIfGranted()) {
                entries.noticed(entry, revision);
                grant(ElectionScanner.token(at.era().era(), standing.revision()), reply.first(3));
                entries.batcher().send(new TakeLead(standing));
            }
        }

        private boolean wasRemovedMeanwhile() {
            return entry.own(nonce())
                    .filter(now -> now.revision() == standing.revision())
                    .isEmpty();
        }

        /** Nobody has asked, so nobody will ask again soon: one more try, perhaps by another server. */
        @Override
        public void failed(BackendException failure) {
            if (pushed && isWanted()) {
                next(new TakeLead(standing));
            } else {
                super.failed(failure);
            }
        }
    }

    /**
     * Records the term of the one that is at the front, in a transaction that proves the same. A record that was not confirmed
     * is sent again with the next heartbeat. Should its holder's entry be taken away by force before that, then the one that
     * comes next does not know that it has to stand off.
     */
    private final class TakeLead extends Step {
        private final QueueEntry.Own standing;

        TakeLead(QueueEntry.Own standing) {
            this.standing = standing;
        }

        @Override
        public Txn txn(SessionGuard at) {
            int era =
                    granted().map(grant -> grant.token().era()).orElse(at.era().era());
            TermRecord term = entries.led(ElectionScanner.token(era, standing.revision()), standing.nonce());
            return new Txn()
                    .ifCreated(entry.key(), standing.revision())
                    .ifLease(entry.key(), entries.lease().id())
                    .ifNoneBefore(entry.range(), standing.revision())
                    .then(Operation.put(entry.termKey(), TermCodec.text(term)));
        }

        @Override
        public void failed(BackendException failure) {
            if (granted().isPresent()) {
                entries.unrecorded(ClaimOperation.this);
            }
            super.failed(failure);
        }

        @Override
        void applied(TxnReply reply, SessionGuard at, long revision) {
            if (answer.isDone()) {
                return; // it was granted before, and now it is recorded; or its entry has gone since
            }
            if (reply.succeeded()) {
                grant(ElectionScanner.token(at.era().era(), standing.revision()), reply.replaced(0));
            } else {
                next(new Prove(standing));
            }
        }
    }

    private void next(TxnBatcher.BatchedOp step) {
        if (--roundsLeft > 0) {
            entries.batcher().send(step);
        } else {
            answer.completeExceptionally(
                    unknown("the entry in " + entry.election() + " keeps changing under its own claim"));
        }
    }

    private Optional<Leader> leader(Optional<KeyValue> first, Optional<KeyValue> term, SessionGuard at) {
        Optional<TermRecord> last = term.flatMap(TermCodec::find);
        last.ifPresent(
                known -> entries.events().seen(entry.election(), known.token().value()));
        return first.map(head ->
                ElectionScanner.leader(entry.election(), head, last, at.era().era()));
    }

    /** Once: a second step that proves the same finds the record of the first, and would take it for another's term. */
    private void grant(FencingToken token, Optional<KeyValue> lastTerm) {
        if (answerIfGranted()) {
            return;
        }
        Optional<TermRecord> before = lastTerm.flatMap(TermCodec::find);
        before.ifPresent(
                term -> entries.events().seen(entry.election(), term.token().value()));
        ClaimReply.Granted grant = granted(token, before);
        entry.created(nonce(), token.sequence(), Optional.of(grant));
        answer.complete(grant);
        if (pushed) {
            entries.events().granted(entry.election(), grant);
        }
    }

    private boolean answerIfGranted() {
        Optional<ClaimReply.Granted> known = granted();
        known.ifPresent(answer::complete);
        return known.isPresent();
    }

    /** Who left without a word may believe for its TTL; so may, for all we know, a term of this nonce whose answer was lost. */
    private ClaimReply.Granted granted(FencingToken token, Optional<TermRecord> before) {
        Optional<TermRecord> unclean = before.filter(TermRecord::held);
        return new ClaimReply.Granted(
                token,
                nonce(),
                unclean.isPresent(),
                unclean.map(TermRecord::ttl).orElse(Duration.ZERO));
    }

    private void queue(Optional<KeyValue> predecessor, Optional<Leader> holder, long revision) {
        predecessor.ifPresent(before ->
                entries.await(entry, new QueueEntry.Awaited(request, before.key(), before.lease(), revision)));
        answer.complete(new ClaimReply.Waiting(holder, true));
    }
}
