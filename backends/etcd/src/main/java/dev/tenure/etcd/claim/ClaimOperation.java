// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.Txn.Operation;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.support.TermRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * One claim on its way: create an entry, or find the one that stands; then prove that it is at the front, or learn whom to
 * wait for. Loop-confined.
 *
 * <p>The store decides in one transaction whether the claim is granted. Either the election was empty and my entry was
 * created in it. Or my entry is the very one that I created (same create revision, same lease) and no entry in the election
 * is older. No entry can come before it afterwards, because revisions only grow. The session records the term right after it.
 *
 * <p>An entry of an older attempt is never believed: it is removed, and a new one is created with a new revision. That takes
 * two transactions, since a store that sees a deletion and a creation of one key in one refuses it.
 */
final class ClaimOperation extends TxnBatcher.EntryCall<ClaimReply> {
    private static final int CREATIONS_MAX = 3;

    private final ClaimRequest request;
    private final boolean pushed;
    private int creations;

    /**
     * @param pushed the engine has not asked, but the entry before mine was deleted: a grant is pushed to the engine, unless it
     *     is known already, and what goes wrong is left to the engine's poll
     */
    ClaimOperation(EtcdSession session, QueueEntry entry, ClaimRequest request, boolean pushed) {
        super(session, entry, !pushed);
        this.request = request;
        this.pushed = pushed;
    }

    /** Asks; an entry of this very attempt keeps its place. */
    CompletableFuture<ClaimReply> ask() {
        entry.own(nonce()).ifPresentOrElse(this::prove, this::create);
        return answer;
    }

    private Nonce nonce() {
        return request.nonce();
    }

    @Override
    void failed(BackendException why) {
        if (why.effect() == Effect.NONE) {
            entry.order().settled(this);
        }
        super.failed(why);
    }

    private void send(
            TxnBatcher.StepMode mode,
            Function<SessionGuard, Txn> txn,
            int valueBytes,
            BiConsumer<Txn.Reply, SessionGuard> applied) {
        session.send(new TxnBatcher.EntryStep(this, mode, txn, valueBytes, (reply, at) -> {
            if (isWanted()) {
                entry.order().settled(this); // else what it has made is found by the next release only
                applied.accept(reply, at);
            } else {
                failed(BackendException.unknown("the claim of " + entry.election() + " was overtaken by a newer call"));
            }
        }));
    }

    // ---- an entry is created

    private void create() {
        if (++creations > CREATIONS_MAX) {
            failed(BackendException.unknown(
                    "the entry in " + entry.election() + " keeps changing under its own claim"));
            return;
        }
        Instant now = session.now();
        String value = EntryValue.text(request, now);
        send(
                TxnBatcher.StepMode.WRITES,
                at -> creation(value, at),
                value.length(),
                (reply, at) -> created(reply, at, now));
    }

    /** To the end of the queue, unless an entry of my session stands there already. What was there before is read first. */
    private Txn creation(String value, SessionGuard at) {
        entry.order().opened(this, at.guardRevision());
        Txn create = new Txn()
                .ifCreated(entry.key(), 0)
                .then(Operation.put(entry.key(), value, session.lease().id()))
                .otherwise(Operation.get(entry.key()));
        return new Txn()
                .then(
                        Operation.last(entry.range()),
                        Operation.first(entry.range()),
                        Operation.get(entry.termKey()),
                        create.inside());
    }

    private void created(Txn.Reply reply, SessionGuard at, Instant since) {
        Txn.Reply create = reply.txn(3);
        if (!create.succeeded()) {
            meetOwn(create.first(0).orElseThrow(), reply.first(2).flatMap(KeyValue::term));
            return;
        }
        entry.created(nonce(), reply.revision(), Optional.empty(), since);
        Optional<KeyValue> predecessor = reply.first(0);
        if (predecessor.isPresent()) {
            queue(predecessor.get(), leader(reply.first(1), reply.first(2), at), reply.revision());
        } else {
            grant(ElectionScanner.token(at.era().era(), reply.revision()), lastTerm(reply.first(2)), since);
        }
    }

    private void meetOwn(KeyValue own, Optional<TermRecord> last) {
        Optional<TermRecord> term = last.filter(known -> known.token().sequence() == own.createRevision());
        if (EntryValue.of(own).map(EntryValue::nonce).equals(Optional.of(nonce()))) {
            prove(entry.created(nonce(), own.createRevision(), Optional.empty(), session.now()));
        } else {
            remove(own.createRevision(), term.filter(TermRecord::held));
        }
    }

    /** Takes away what an older attempt has left. */
    private void remove(long created, Optional<TermRecord> term) {
        send(TxnBatcher.StepMode.WRITES, at -> entry.deletion(created, term), 0, (reply, at) -> createAgain());
    }

    private void createAgain() {
        entry.gone();
        if (pushed) {
            session.events().changed(entry.election()); // the engine asks, and gets the outcome
        } else {
            create();
        }
    }

    // ---- an entry is proved to be at the front

    /**
     * A linearizable read of my own entry and of the one before it. If the very entry that I have created is there, on my lease,
     * and there is none before it, that is the proof. It only reads: most of those that ask again still have to wait, and a
     * write would cost the whole cluster.
     */
    private void prove(QueueEntry.Own standing) {
        Txn look = new Txn()
                .then(
                        Operation.get(entry.key()),
                        Operation.lastBefore(entry.range(), standing.revision()),
                        Operation.first(entry.range()),
                        Operation.get(entry.termKey()));
        send(TxnBatcher.StepMode.READS, at -> look, 0, (reply, at) -> proved(standing, reply, at));
    }

    private void proved(QueueEntry.Own standing, Txn.Reply reply, SessionGuard at) {
        boolean stands = reply.first(0)
                .filter(own -> EntryValue.isOf(
                        own, standing.revision(), session.lease().id(), nonce()))
                .isPresent();
        Optional<KeyValue> predecessor = reply.first(1);
        Optional<QueueEntry.Own> known = entry.own(nonce()).filter(now -> now.revision() == standing.revision());
        if (!stands || known.isEmpty()) {
            createAgain(); // perhaps it was removed since it was read
        } else if (predecessor.isPresent()) {
            queue(predecessor.get(), leader(reply.first(2), reply.first(3), at), reply.revision());
        } else if (known.get().grant().isPresent()) {
            answer.complete(known.get().grant().get()); // by another step, or by an earlier answer that was lost
        } else {
            session.noticed(entry, reply.revision());
            FencingToken token = ElectionScanner.token(at.era().era(), standing.revision());
            grant(token, lastTerm(reply.first(3)), session.now());
        }
    }

    // ---- answers

    private Optional<TermRecord> lastTerm(Optional<KeyValue> stored) {
        Optional<TermRecord> last = stored.flatMap(KeyValue::term);
        last.ifPresent(known ->
                session.events().tokenObserved(entry.election(), known.token().value()));
        return last;
    }

    private Optional<Leader> leader(Optional<KeyValue> first, Optional<KeyValue> term, SessionGuard at) {
        Optional<TermRecord> last = lastTerm(term);
        return first.map(head ->
                ElectionScanner.leader(entry.election(), head, last, at.era().era()));
    }

    private void grant(FencingToken token, Optional<TermRecord> before, Instant since) {
        ClaimReply.Granted grant = granted(token, before);
        entry.created(nonce(), token.sequence(), Optional.of(grant), since);
        answer.complete(grant);
        session.record(entry);
        if (pushed) {
            session.events().granted(entry.election(), grant);
        }
    }

    /** A holder that vanished may believe for its TTL; so may, for all we know, a term of this nonce whose answer was lost. */
    private ClaimReply.Granted granted(FencingToken token, Optional<TermRecord> before) {
        Optional<TermRecord> unclean = before.filter(TermRecord::held);
        return new ClaimReply.Granted(
                token,
                nonce(),
                unclean.isPresent(),
                unclean.map(TermRecord::ttl).orElse(Duration.ZERO));
    }

    private void queue(KeyValue predecessor, Optional<Leader> holder, long revision) {
        session.await(entry, new QueueEntry.Awaited(request, predecessor.key(), predecessor.lease(), revision));
        answer.complete(new ClaimReply.Waiting(holder, true));
    }
}
