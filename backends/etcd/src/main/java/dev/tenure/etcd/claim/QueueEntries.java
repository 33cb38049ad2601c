package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.WatchHub;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.TermRecord;
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
 * What one session has in all elections. Each waits for the entry just before its own, so a departure wakes one candidate,
 * not all. Loop-confined.
 */
final class QueueEntries {
    /** From so many on that wait, one look at the store serves them all. */
    private static final int TOGETHER_MIN = 8;

    private static final long NEVER = -1;

    private final EtcdClient client;
    private final TxnBatcher batcher;
    private final WatchHub hub;
    private final Host host;
    private final Keys keys;
    private final GrantedLease lease;
    private final SessionEvents events;
    private final StuckHolderDetector stuck;
    private final Map<ElectionName, QueueEntry> entries = new HashMap<>();
    private final List<ClaimOperation> unrecorded = new ArrayList<>();
    /** The revision at which all keys were looked at last. */
    private long lookedAt = NEVER;
    /** Deletions up to this revision may not have been told. */
    private long missedUpTo;

    private boolean open = true;

    QueueEntries(EtcdContext store, TxnBatcher batcher, GrantedLease lease, SessionEvents events) {
        this.batcher = batcher;
        this.hub = store.hub();
        this.host = store.host();
        this.keys = store.keys();
        this.lease = lease;
        this.stuck = new StuckHolderDetector(store.client(), host, lease, events);
        this.events = events;
        this.client = store.client();
    }

    TxnBatcher batcher() {
        return batcher;
    }

    GrantedLease lease() {
        return lease;
    }

    Instant now() {
        return Instant.ofEpochMilli(host.wallMillis());
    }

    /** What is to be written down of a term that this session leads. */
    TermRecord led(FencingToken token, Nonce nonce) {
        return new TermRecord(token, true, nonce.toString(), lease.ttl(), now());
    }

    boolean isOpen() {
        return open;
    }

    void close() {
        open = false;
    }

    /** This claim was granted, but its record was not confirmed. */
    void unrecorded(ClaimOperation claim) {
        unrecorded.add(claim);
    }

    void recordAgain() {
        List<ClaimOperation> again = List.copyOf(unrecorded);
        unrecorded.clear();
        again.stream().filter(ClaimOperation::isWanted).forEach(ClaimOperation::record);
    }

    SessionEvents events() {
        return events;
    }

    CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        keys.election(request.election()); // refuses a name that has no place of its own
        QueueEntry entry = entries.computeIfAbsent(request.election(), name -> new QueueEntry(keys, name, lease.id()));
        entry.order().claims(request.nonce());
        return new ClaimOperation(this, entry, request, entry.order().nextCall()).ask();
    }

    /**
     * Finds deletions that no watch has told of. One linearizable read tells the store's revision; if it is that of the last
     * look, nothing was written since, so nothing was missed. Otherwise the keys are listed.
     */
    CompletableFuture<Boolean> catchUp() {
        long waiting = entries.values().stream()
                .filter(entry -> entry.awaited().isPresent())
                .count();
        if (waiting < TOGETHER_MIN || !keys.hasFolder()) {
            return CompletableFuture.completedFuture(false);
        }
        List<QueueEntry> doubtful =
                entries.values().stream().filter(QueueEntries::isDoubtful).toList();
        return client.range(KeyRange.one(keys.era()), true)
                .thenCompose(now -> now.revision() == lookedAt
                        ? CompletableFuture.completedFuture(now)
                        : client.range(keys.everything(), true).thenApply(this::looked))
                .thenApply(looked -> {
                    entries.values()
                            .forEach(entry -> entry.awaited().ifPresent(before -> stuck.waitsFor(entry, before)));
                    doubtful.forEach(entry -> events.changed(entry.election()));
                    return open;
                });
    }

    /** It waits, but for nobody that is known; or somebody has left its queue since it was looked at. */
    private static boolean isDoubtful(QueueEntry entry) {
        boolean known = entry.awaited()
                .filter(before -> !entry.hasLeftSince(before.sinceRevision()))
                .isPresent();
        return !known && entry.own().filter(own -> own.grant().isEmpty()).isPresent();
    }

    /** What is waited for, or is one's own, and is not among all keys that were there at this revision has gone. */
    private EtcdClient.Listing looked(EtcdClient.Listing all) {
        Set<String> there = all.found().stream().map(KeyValue::key).collect(Collectors.toSet());
        for (QueueEntry entry : List.copyOf(entries.values())) {
            if (!there.contains(entry.key())) {
                ownDeleted(entry, all.revision() + 1);
            }
            Optional<QueueEntry.Awaited> gone = entry.awaited()
                    .filter(before -> before.sinceRevision() <= all.revision() && !there.contains(before.key()));
            if (gone.isPresent()) {
                hub.suspect(all.revision());
                takeLead(entry);
            }
        }
        lookedAt = all.revision();
        return all;
    }

    /** The server was left: another one may be of a cluster that was restored from a backup. */
    void disconnected() {
        lookedAt = NEVER;
    }

    CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        QueueEntry entry = entries.get(election);
        if (entry == null || !entry.order().knows(nonce)) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
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

    /**
     * The entry before this one was seen; its departure is the next thing to hear of. The answer that names it and the word that
     * it has gone travel on different streams, so the word may have come first.
     */
    void await(QueueEntry entry, QueueEntry.Awaited before) {
        stuck.waitsFor(entry, before);
        entry.await(Optional.of(before));
        if (missedUpTo > before.sinceRevision() || entry.hasLeftSince(before.sinceRevision())) {
            takeLead(entry);
        }
    }

    /** It has come to the front; if nobody had said that the one before it is gone, the watch is suspect. */
    void noticed(QueueEntry entry, long revision) {
        if (entry.awaited().isPresent()) {
            entry.await(Optional.empty());
            hub.suspect(revision);
        }
    }

    /** Revisions may count on from below, in a store that was restored from a backup. */
    void missedUpTo(long revision) {
        missedUpTo = revision;
        for (QueueEntry entry : List.copyOf(entries.values())) {
            entry.left(0);
            if (entry.awaited()
                    .filter(before -> before.sinceRevision() < revision)
                    .isPresent()) {
                takeLead(entry);
            }
        }
    }

    void deleted(Map<String, Long> revisions) {
        revisions.forEach((key, revision) -> keys.queuesOf(key).forEach(election -> {
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

    private void takeLead(QueueEntry entry) {
        ClaimRequest request = entry.awaited().orElseThrow().request();
        entry.await(Optional.empty());
        if (open && entry.own(request.nonce()).isPresent()) {
            new ClaimOperation(this, entry, request, entry.order().newestCall()).take();
        }
    }
}
