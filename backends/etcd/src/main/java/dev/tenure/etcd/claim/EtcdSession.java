// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.EtcdError;
import dev.tenure.etcd.client.GrantedLease;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.Txn.Operation;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * A lease, and all that hangs on it: its entries in the queues of elections. Each waits for the entry just before its own, so a
 * departure wakes one candidate, not all. Loop-confined.
 */
public final class EtcdSession implements BackendSession {
    /** From so many on that wait, one look at the store serves them all. */
    private static final int TOGETHER_MIN = 8;

    private static final long NEVER = -1;

    private final EtcdContext store;
    private final GrantedLease lease;
    private final SessionEvents events;
    private final TxnBatcher batcher;
    private final StuckHolderDetector stuck;
    private final Map<ElectionName, QueueEntry> entries = new HashMap<>();
    private final List<QueueEntry> unrecorded = new ArrayList<>();
    /** The revision at which all keys were listed last. */
    private long listedAt = NEVER;
    /** Deletions up to this revision may have been missed. */
    private long missedUpTo;

    private boolean over;
    private boolean ended;

    public EtcdSession(EtcdContext store, GrantedLease lease, SessionGuard at, SessionEvents events) {
        this.store = store;
        this.lease = lease;
        this.events = events;
        this.batcher = new TxnBatcher(store, lease, at, this::lost);
        this.stuck = new StuckHolderDetector(store, lease, events);
    }

    @Override
    public String id() {
        return Keys.hex(lease.id());
    }

    @Override
    public Duration ttl() {
        return lease.ttl();
    }

    @Override
    public StoreEra era() {
        return batcher.era();
    }

    // ---- the lease

    /** Some versions acknowledge the renewal of a dead lease: there the session's own key, which dies with it, is read too. */
    @Override
    public CompletableFuture<RenewReply> renew() {
        if (ended) {
            return CompletableFuture.completedFuture(new RenewReply.Gone(GrantedLease.ENDED));
        }
        CompletableFuture<RenewReply> kept = store.client()
                .keepAlive(lease.id(), lease.callTimeout())
                .thenApply(ttl -> {
                    recordAgain();
                    return !ttl.isZero() ? new RenewReply.Renewed(ttl) : new RenewReply.Gone(GrantedLease.ENDED);
                });
        if (!store.mayRenewDeadLeases().getAsBoolean()) {
            return kept;
        }
        return kept.thenCombine(
                read(Operation.get(store.keys().session(lease.id()))),
                (reply, found) -> found.first(0).isPresent() ? reply : new RenewReply.Gone(GrantedLease.ENDED));
    }

    private CompletableFuture<Txn.Reply> read(Operation... operations) {
        return store.client().txn(new Txn().then(operations), lease.callTimeout());
    }

    @Override
    public void abandon() {
        over = true;
        store.hub().leave(this);
    }

    @Override
    public CompletableFuture<Void> close() {
        abandon();
        ended = true;
        return store.client()
                .revokeLease(lease.id())
                .exceptionallyCompose(
                        failure -> Stages.rootOf(failure) instanceof EtcdError trouble && trouble.isLeaseGone()
                                ? CompletableFuture.completedFuture(null)
                                : CompletableFuture.failedFuture(failure));
    }

    private void lost(String why) {
        if (!ended) {
            ended = true;
            boolean abandoned = over;
            abandon();
            if (!abandoned) {
                events.lost(why);
            }
        }
    }

    // ---- claims and releases

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        if (over) {
            return CompletableFuture.failedFuture(BackendException.unreachable("this session is over"));
        }
        QueueEntry entry =
                entries.computeIfAbsent(request.election(), name -> new QueueEntry(store.keys(), name, lease.id()));
        entry.order().claims(request.nonce());
        return new ClaimOperation(this, entry, request, false).ask();
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        QueueEntry entry = entries.get(election);
        if (ended || entry == null || !entry.order().knows(nonce)) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD); // or it went with the lease
        }
        if (entry.order().isNewest(nonce)) {
            entry.await(Optional.empty());
        }
        return new ReleaseOperation(this, entry, nonce).ask();
    }

    void forgetIfEmpty(QueueEntry entry) {
        if (entry.isForgettable()) {
            entries.remove(entry.election(), entry);
        }
    }

    boolean isOpen() {
        return !over;
    }

    void send(TxnBatcher.EntryStep step) {
        batcher.send(step);
    }

    GrantedLease lease() {
        return lease;
    }

    SessionEvents events() {
        return events;
    }

    Instant now() {
        return Instant.ofEpochMilli(store.host().wallMillis());
    }

    // ---- terms

    /**
     * Records the term that was granted to this entry. A record that was not confirmed is sent again with the next heartbeat.
     * Should the entry be taken away by force before that, then the one that comes next does not know that it has to stand off.
     */
    void record(QueueEntry entry) {
        entry.own()
                .ifPresent(own -> own.term(lease.ttl()).ifPresent(term -> {
                    Txn txn = new Txn()
                            .ifCreated(entry.key(), own.revision())
                            .then(Operation.put(entry.termKey(), term.text()));
                    TxnBatcher.EntryCall<Void> recording = new TxnBatcher.EntryCall<>(this, entry, false) {
                        @Override
                        boolean isWanted() {
                            return isOpen() && entry.own().equals(Optional.of(own));
                        }

                        @Override
                        void failed(BackendException why) {
                            if (isWanted()) {
                                unrecorded.add(entry);
                            }
                        }
                    };
                    // If its entry has gone, that is noticed elsewhere.
                    send(new TxnBatcher.EntryStep(
                            recording, TxnBatcher.StepMode.RECORDS, at -> txn, 0, (reply, at) -> {}));
                }));
    }

    private void recordAgain() {
        List<QueueEntry> again = List.copyOf(unrecorded);
        unrecorded.clear();
        again.forEach(this::record);
    }

    /** One read for two questions: requests whose notification was lost are found here, with every look of a leader. */
    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        if (ended) {
            return CompletableFuture.completedFuture(false);
        }
        return read(
                        Operation.get(store.keys().entry(term.election(), lease.id())),
                        Operation.get(store.keys().term(term.election())),
                        Operation.get(store.keys().requests()))
                .thenApply(found -> {
                    if (!over) {
                        store.hub().notifyRequests(found.all(2));
                    }
                    long created = term.token().sequence();
                    boolean otherEra = found.first(1)
                            .flatMap(KeyValue::term)
                            .map(TermRecord::token)
                            .filter(last -> last.sequence() == created && !last.equals(term.token()))
                            .isPresent();
                    return !otherEra
                            && found.first(0)
                                    .filter(own -> EntryValue.isOf(own, created, lease.id(), term.nonce()))
                                    .isPresent();
                });
    }

    // ---- those that wait

    /**
     * The entry before this one was seen; the next thing to come is the notification of its deletion. The answer that names the
     * entry and that notification travel on different streams, so the notification may have come first.
     */
    void await(QueueEntry entry, QueueEntry.Awaited before) {
        stuck.waitsFor(entry, before);
        entry.await(Optional.of(before));
        if (missedUpTo > before.sinceRevision() || entry.hasLeftSince(before.sinceRevision())) {
            takeLead(entry);
        }
    }

    private void takeLead(QueueEntry entry) {
        ClaimRequest request = entry.awaited().orElseThrow().request();
        entry.await(Optional.empty());
        if (!over && entry.own(request.nonce()).isPresent()) {
            var unused = new ClaimOperation(this, entry, request, true).ask();
        }
    }

    /** It has come to the front; if nobody had said that the one before it is gone, the watch is suspect. */
    void noticed(QueueEntry entry, long revision) {
        if (entry.awaited().isPresent()) {
            entry.await(Optional.empty());
            store.hub().suspect(revision);
        }
    }

    /** The server was left. The next one may be of a store that was restored from a backup and has counted on to the same revision. */
    void disconnected() {
        listedAt = NEVER;
    }

    /** Deletions up to this revision may have been missed. In a store that was restored from a backup, revisions count on from below. */
    void missedUpTo(long revision) {
        missedUpTo = revision;
        listedAt = NEVER;
        for (QueueEntry entry : List.copyOf(entries.values())) {
            entry.left(0);
            if (entry.awaited()
                    .filter(before -> before.sinceRevision() < revision)
                    .isPresent()) {
                takeLead(entry);
            }
        }
    }

    /** @param revisions of the deletions, by key */
    void deleted(Map<String, Long> revisions) {
        if (revisions.containsKey(store.keys().session(lease.id()))) {
            lost(GrantedLease.ENDED);
            return;
        }
        revisions.forEach((key, revision) -> store.keys().queuesOf(key).forEach(election -> {
            QueueEntry entry = entries.get(election);
            if (entry != null) {
                left(entry, key, revision);
            }
        }));
    }

    private void left(QueueEntry entry, String key, long revision) {
        entry.left(revision);
        if (entry.awaited().filter(before -> before.key().equals(key)).isPresent()) {
            takeLead(entry);
        }
        if (key.equals(entry.key())) {
            ownDeleted(entry, revision);
        }
    }

    private void ownDeleted(QueueEntry entry, long revision) {
        entry.own().filter(own -> own.revision() < revision).ifPresent(own -> {
            entry.gone();
            events.changed(entry.election());
        });
    }

    /**
     * Finds deletions that no watch has reported. One linearizable read shows the store's revision; if it is that of the last
     * read, nothing was written since, so nothing was missed. Otherwise the keys are listed.
     */
    @Override
    public CompletableFuture<Boolean> catchUp() {
        long waiting = entries.values().stream()
                .filter(entry -> entry.awaited().isPresent())
                .count();
        if (ended || waiting < TOGETHER_MIN || !store.keys().hasFolder()) {
            return CompletableFuture.completedFuture(false);
        }
        EtcdClient client = store.client();
        List<QueueEntry> doubtful =
                entries.values().stream().filter(QueueEntry::isDoubtful).toList();
        return client.range(KeyRange.one(store.keys().era()), true)
                .thenCompose(now -> now.revision() == listedAt
                        ? CompletableFuture.completedFuture(now)
                        : client.range(store.keys().everything(), true).thenApply(this::compare))
                .thenApply(listed -> {
                    entries.values()
                            .forEach(entry -> entry.awaited().ifPresent(before -> stuck.waitsFor(entry, before)));
                    doubtful.forEach(entry -> events.changed(entry.election()));
                    return !over;
                });
    }

    /** What is waited for, or is one's own, and is not among all keys that were there at this revision has gone. */
    private EtcdClient.Listing compare(EtcdClient.Listing all) {
        Set<String> there = all.found().stream().map(KeyValue::key).collect(Collectors.toSet());
        for (QueueEntry entry : List.copyOf(entries.values())) {
            if (!there.contains(entry.key())) {
                ownDeleted(entry, all.revision() + 1);
            }
            Optional<QueueEntry.Awaited> gone = entry.awaited()
                    .filter(before -> before.sinceRevision() <= all.revision() && !there.contains(before.key()));
            if (gone.isPresent()) {
                store.hub().suspect(all.revision());
                takeLead(entry);
            }
        }
        listedAt = all.revision();
        return all;
    }

    // ---- operators

    void requested(OperatorRequest request) {
        events.requested(request);
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        String key = store.keys().request(request.election());
        Txn txn = new Txn().ifValue(key, RequestRecord.text(request)).then(Operation.delete(key));
        return store.client().txn(txn, lease.callTimeout()).thenApply(reply -> null);
    }
}
