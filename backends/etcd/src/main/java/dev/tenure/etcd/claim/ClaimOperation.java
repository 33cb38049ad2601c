package dev.tenure.etcd.claim;

import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Operation;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.TxnReply;
import dev.tenure.etcd.session.TxnBatcher;
import dev.tenure.etcd.session.TxnBatcher.SessionGuard;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.support.Stages;
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
 * can come before it afterwards, because revisions only grow. The same transaction records the term.
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
        if (entry.own(request.nonce()).isPresent()) {
            entries.batcher().send(new Prove(entry.own(request.nonce()).get()));
        } else {
            entries.batcher().send(new Create());
        }
        return answer;
    }

    private Nonce nonce() {
        return request.nonce();
    }

    /** The one before my entry was said to have gone. Nobody has asked, so the answer is cancelled if the grant is known already. */
    CompletableFuture<ClaimReply> take() {
        pushed = true;
        record();
        return answer;
    }

    /** Records the term, after it was proved. */
    void record() {
        entry.own(nonce()).ifPresent(mine -> new TakeLead(mine).ask());
    }

    boolean isWanted() {
        return entries.isOpen() && entry.order().newestCall() == call;
    }

    /** What this very attempt was granted. */
    private Optional<ClaimReply.Granted> granted() {
        return entry.own(nonce()).flatMap(QueueEntry.Own::grant);
    }

    private void prove(QueueEntry.Own standing) {
        next(new Prove(standing));
    }

    /** The very entry that I have created is there, on my lease, and there is none before it. */
    private Txn ifFirst(QueueEntry.Own standing) {
        return new Txn()
                .ifCreated(entry.key(), standing.revision())
                .ifLease(entry.key(), entries.lease().id())
                .ifNoneBefore(entry.range(), standing.revision());
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
        public void sent(SessionGuard at) {}

        @Override
        public void failed(BackendException failure) {
            answer.completeExceptionally(failure);
        }

        @Override
        public void answered(TxnReply reply, SessionGuard at, long revision) {
            if (!isWanted()) {
                answer.completeExceptionally(new BackendException(
                        Effect.UNKNOWN,
                        Kind.UNREACHABLE,
                        "the claim of " + entry.election() + " was overtaken by a newer call"));
                return;
            }
            try {
                applied(reply, at, revision);
            } catch (BackendException refused) {
                answer.completeExceptionally(refused);
            }
        }

        abstract void applied(TxnReply reply, SessionGuard at, long revision);
    }

    /** Into an empty election, or to the end of its queue, unless an entry of my session stands there already. */
    private final class Create extends Step {
        @Override
        public Operation operation(SessionGuard at) {
            Operation own = Operation.put(
                    entry.key(),
                    EntryValue.text(request, entries.now()),
                    entries.lease().id());
            String term = TermCodec.ofThisRevision(
                    at.era().era(), nonce(), entries.lease().ttl(), entries.now());
            Txn look = new Txn()
                    .ifEmpty(entry.range())
                    .then(Operation.put(entry.termKey(), term))
                    .otherwise(
                            Operation.last(entry.range()),
                            Operation.first(entry.range()),
                            Operation.get(entry.termKey()));
            Txn create = new Txn().ifCreated(entry.key(), 0).then(own).otherwise(Operation.get(entry.key()));
            return new Txn().then(look.inside(), create.inside()).inside();
        }

        @Override
        public int bytes() {
            return 1024 + EntryValue.text(request, entries.now()).length();
        }

        @Override
        public void sent(SessionGuard at) {
            entry.order().opened(this, at.guardRevision());
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
            TxnReply look = reply.part(0).txn();
            TxnReply create = reply.part(1).txn();
            entries.wroteIf(look.succeeded() || create.succeeded(), revision);
            if (look.succeeded()) {
                entry.created(nonce(), revision, Optional.empty());
                grant(
                        LeaderResolver.token(at.era().era(), revision),
                        look.part(0).replaced().flatMap(TermCodec::find));
            } else if (create.succeeded()) {
                entry.created(nonce(), revision, Optional.empty());
                queue(look.part(0).first(), leader(look.part(1), look.part(2), at), revision);
            } else {
                KeyValue own = create.part(0).first().orElseThrow();
                meetOwn(own, look.part(2).first().flatMap(TermCodec::find));
            }
        }

        private void meetOwn(KeyValue own, Optional<TermRecord> term) {
            Optional<Nonce> standing = EntryValue.of(own).map(EntryValue::nonce);
            if (!standing.equals(Optional.of(nonce()))) {
                Optional<TermRecord> mine =
                        term.filter(known -> known.held() && known.token().sequence() == own.createRevision());
                next(new Remove(own.createRevision(), mine));
                return;
            }
            Optional<ClaimReply.Granted> known = term.filter(
                            last -> last.owner().equals(nonce().toString())
                                    && last.token().sequence() == own.createRevision())
                    .map(last -> granted(last.token(), Optional.of(last)));
            entry.created(nonce(), own.createRevision(), known);
            prove(entry.own(nonce()).orElseThrow());
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
        public Operation operation(SessionGuard at) {
            return entry.deletion(created, term);
        }

        @Override
        void applied(TxnReply reply, SessionGuard at, long revision) {
            entries.wroteIf(reply.succeeded(), revision);
            entry.gone();
            next(new Create());
        }
    }

    /**
     * My own entry, read and compared in one step with everything before it. It only reads: most of those that ask again
     * still have to wait, and a write would cost the whole cluster.
     */
    private final class Prove extends Step {
        private final QueueEntry.Own standing;

        Prove(QueueEntry.Own standing) {
            this.standing = standing;
        }

        @Override
        public Operation operation(SessionGuard at) {
            return ifFirst(standing)
                    .otherwise(
                            Operation.get(entry.key()),
                            Operation.lastBefore(entry.range(), standing.revision()),
                            Operation.first(entry.range()),
                            Operation.get(entry.termKey()))
                    .inside();
        }

        @Override
        void applied(TxnReply reply, SessionGuard at, long revision) {
            if (reply.succeeded()) {
                if (!answerIfGranted()) {
                    entries.noticed(entry, revision);
                    next(new TakeLead(standing));
                }
                return;
            }
            boolean stands = reply.part(0)
                    .first()
                    .filter(own -> own.createRevision() == standing.revision())
                    .isPresent();
            if (stands) {
                queue(reply.part(1).first(), leader(reply.part(2), reply.part(3), at), revision);
            } else {
                entry.gone(); // somebody has removed it
                next(new Create());
            }
        }
    }

    /**
     * The entry before mine was said to have gone, so mine should be at the front now.
     *
     * <p>A linearizable read of my own entry, its lease, and everything before it is the proof. It does not have to wait for the
     * store's log, and the transaction that records the term follows it. Not both at once: servers that write to their disks
     * answer no reads meanwhile. Where other steps are under way there is only the transaction, which proves the same: then the
     * number of requests counts, not the moment.
     *
     * <p>A record that was not confirmed is sent again with the next heartbeat. Should its holder's entry be taken away by force
     * before that, then who comes next does not know that it has to stand off.
     */
    private final class TakeLead extends Step {
        private final QueueEntry.Own standing;

        TakeLead(QueueEntry.Own standing) {
            this.standing = standing;
        }

        void ask() {
            if (answer.isDone() || !entries.batcher().isIdle()) {
                entries.batcher().send(this);
                return;
            }
            int era = entries.batcher().era().era();
            Txn txn = ifFirst(standing).then(Operation.get(entry.key()), Operation.get(entry.termKey()));
            Stages.follow(
                    entries.batcher().readNow(txn),
                    seen -> {
                        seen.ifPresent(found -> seen(found, era));
                        entries.batcher().send(this);
                    },
                    failure -> entries.batcher().send(this));
        }

        private void seen(TxnReply found, int era) {
            boolean mine = found.part(0)
                    .first()
                    .flatMap(EntryValue::of)
                    .filter(own -> own.nonce().equals(standing.nonce()))
                    .isPresent();
            if (mine && isWanted() && stands()) {
                grant(
                        LeaderResolver.token(era, standing.revision()),
                        found.part(1).first().flatMap(TermCodec::find));
            }
        }

        /** Has nobody said in the meantime that it was removed? */
        private boolean stands() {
            return entry.own(standing.nonce())
                    .filter(now -> now.revision() == standing.revision())
                    .isPresent();
        }

        @Override
        public Operation operation(SessionGuard at) {
            int era =
                    granted().map(grant -> grant.token().era()).orElse(at.era().era());
            TermRecord term = entries.led(LeaderResolver.token(era, standing.revision()), standing.nonce());
            return ifFirst(standing)
                    .then(Operation.put(entry.termKey(), TermCodec.text(term)))
                    .inside();
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
            entries.wroteIf(reply.succeeded(), revision);
            if (answer.isDone()) {
                return; // it was granted before, and now it is recorded; or its entry has gone since
            }
            if (reply.succeeded()) {
                Optional<TermRecord> before = reply.part(0).replaced().flatMap(TermCodec::find);
                grant(LeaderResolver.token(at.era().era(), standing.revision()), before);
            } else {
                prove(standing);
            }
        }
    }

    private void next(TxnBatcher.BatchedOp step) {
        if (--roundsLeft > 0) {
            entries.batcher().send(step);
        } else {
            answer.completeExceptionally(new BackendException(
                    Effect.UNKNOWN,
                    Kind.UNREACHABLE,
                    "the entry in " + entry.election() + " keeps changing under its own claim"));
        }
    }

    private Optional<Leader> leader(TxnReply.Part first, TxnReply.Part term, SessionGuard at) {
        Optional<TermRecord> last = term.first().flatMap(TermCodec::find);
        last.ifPresent(known -> entries.seen(entry.election(), known.token().value()));
        return first.first()
                .map(head -> LeaderResolver.leader(
                        entry.election(), head, last, at.era().era()));
    }

    /** Once: a second step that proves the same finds the record of the first, and would take it for another's term. */
    private void grant(FencingToken token, Optional<TermRecord> before) {
        if (answerIfGranted()) {
            return;
        }
        before.ifPresent(term -> entries.seen(entry.election(), term.token().value()));
        ClaimReply.Granted grant = granted(token, before);
        entry.created(nonce(), token.sequence(), Optional.of(grant));
        answer.complete(grant);
    }

    private boolean answerIfGranted() {
        Optional<ClaimReply.Granted> known = granted();
        if (known.isPresent() && pushed) {
            answer.cancel(false);
        }
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
        predecessor.ifPresent(before -> entries.await(entry, request, before, revision));
        answer.complete(new ClaimReply.Waiting(holder, true));
    }
}
