package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.session.EtcdContext;
import dev.tenure.etcd.session.GrantedLease;
import dev.tenure.etcd.session.RevisionTracker;
import dev.tenure.etcd.session.TxnBatcher;
import dev.tenure.etcd.session.WatchHub;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * What one session has in all elections. Each waits for the entry just before its own, so a departure wakes one candidate,
 * not all. Loop-confined.
 */
public final class QueueEntries {
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
    private final RevisionTracker quiet;
    private final Map<ElectionName, QueueEntry> entries = new HashMap<>();
    private final Map<String, Queued> awaited = new HashMap<>();
    private final List<ClaimOperation> unrecorded = new ArrayList<>();
    /** The revision at which all keys were looked at last. */
    private long lookedAt = NEVER;

    private boolean open = true;

    /** @param sinceRevision at which the entry before it was seen */
    private record Queued(QueueEntry entry, ClaimRequest request, long predecessorLease, long sinceRevision) {}

    public QueueEntries(
            EtcdContext store, TxnBatcher batcher, GrantedLease lease, RevisionTracker quiet, SessionEvents events) {
        this.batcher = batcher;
        this.hub = store.hub();
        this.host = store.host();
        this.keys = store.keys();
        this.lease = lease;
        this.stuck = new StuckHolderDetector(store.client(), host, lease, events);
        this.events = events;
        this.quiet = quiet;
        this.client = store.client();
    }

    public TxnBatcher batcher() {
        return batcher;
    }

    public GrantedLease lease() {
        return lease;
    }

    public Instant now() {
        return Instant.ofEpochMilli(host.wallMillis());
    }

    /** What is to be written down of a term that this session leads. */
    public TermRecord led(FencingToken token, Nonce nonce) {
        return new TermRecord(token, true, nonce.toString(), lease.ttl(), now());
    }

    public boolean isOpen() {
        return open;
    }

    public void close() {
        open = false;
        awaited.clear();
    }

    /** This claim was granted, but its record was not confirmed. */
    public void unrecorded(ClaimOperation claim) {
        unrecorded.add(claim);
    }

    public void recordAgain() {
        List<ClaimOperation> again = List.copyOf(unrecorded);
        unrecorded.clear();
        again.stream().filter(ClaimOperation::isWanted).forEach(ClaimOperation::record);
    }

    /** Has one of its own steps changed the store? */
    public void wroteIf(boolean applied, long revision) {
        if (applied) {
            quiet.wrote(revision);
        }
    }

    public void seen(ElectionName election, long token) {
        events.seen(election, token);
    }

    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        keys.election(request.election()); // refuses a name that has no place of its own
        QueueEntry entry = entries.computeIfAbsent(request.election(), name -> new QueueEntry(keys, name, lease.id()));
        entry.order().claims(request.nonce());
        return new ClaimOperation(this, entry, request, entry.order().nextCall()).ask();
    }

    /**
     * Finds deletions that no watch has told of. One linearizable read tells the store's revision; if it is that of the last
     * look, nothing was written since, so nothing was missed. Otherwise the keys are listed.
     */
    public CompletableFuture<Boolean> catchUp() {
        if (awaited.size() < TOGETHER_MIN || !keys.hasFolder()) {
            return CompletableFuture.completedFuture(false);
        }
        List<ElectionName> doubtful = entries.values().stream()
                .filter(this::isDoubtful)
                .map(QueueEntry::election)
                .toList();
        return client.revision(keys.era())
                .thenCompose(now -> now == lookedAt ? CompletableFuture.completedFuture(null) : look(now))
                .thenApply(looked -> {
                    awaited.forEach(
                            (key, queued) -> stuck.waitsFor(queued.entry().election(), key, queued.predecessorLease()));
                    doubtful.forEach(events::changed);
                    return open;
                });
    }

    private CompletableFuture<Void> look(long revision) {
        return client.all(keys.everything(), revision, true).thenAccept(found -> {
            missing(found.stream().map(KeyValue::key).collect(Collectors.toSet()), revision);
            lookedAt = revision;
        });
    }

    /** It waits, but for nobody that is known; or somebody has left its queue since it was looked at. */
    private boolean isDoubtful(QueueEntry entry) {
        return entry.own().filter(own -> own.grant().isEmpty()).isPresent()
                && (entry.hasChanged() || !awaited.containsKey(entry.awaited()));
    }

    /** All keys that were there at this revision: what is waited for, or is one's own, and is not among them has gone. */
    private void missing(Set<String> there, long revision) {
        entries.values().stream()
                .filter(entry -> !there.contains(entry.key()))
                .toList()
                .forEach(entry -> ownDeleted(entry, revision + 1));
        List<Queued> free = awaited.entrySet().stream()
                .filter(one -> one.getValue().sinceRevision() <= revision && !there.contains(one.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        for (Queued queued : free) {
            noticed(queued.entry(), revision);
            takeLead(queued);
        }
    }

    /** The server was left: another one may be of a cluster that was restored from a backup. */
    public void disconnected() {
        lookedAt = NEVER;
    }

    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        QueueEntry entry = entries.get(election);
        if (entry == null || !entry.order().knows(nonce)) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
        }
        if (entry.order().isNewest(nonce)) {
            awaited.remove(entry.awaited());
        }
        return new ReleaseOperation(this, entry, nonce).ask();
    }

    /** As far as this session knows. */
    public boolean holds(Term term) {
        QueueEntry entry = entries.get(term.election());
        return entry != null
                && entry.own(term.nonce())
                        .flatMap(QueueEntry.Own::grant)
                        .filter(grant -> grant.token().equals(term.token()))
                        .isPresent();
    }

    public void forgetIfEmpty(QueueEntry entry) {
        if (entry.isForgettable()) {
            entries.remove(entry.election(), entry);
        }
    }

    /** The entry before this one was seen at this revision; its departure is the next thing to hear of. */
    public void await(QueueEntry entry, ClaimRequest request, KeyValue before, long revision) {
        String predecessor = before.key();
        stuck.waitsFor(entry.election(), predecessor, before.lease());
        awaited.remove(entry.awaited());
        entry.await(predecessor);
        Queued queued = new Queued(entry, request, before.lease(), revision);
        if (hub.mayHaveGone(predecessor, revision)) {
            takeLead(queued);
        } else {
            awaited.put(predecessor, queued);
        }
    }

    /** It has come to the front; if nobody had said that the one before it is gone, the watch is suspect. */
    public void noticed(QueueEntry entry, long revision) {
        if (awaited.remove(entry.awaited()) != null) {
            hub.suspect(revision);
        }
    }

    public void missedUpTo(long revision) {
        List<Queued> perhapsFree = new ArrayList<>(awaited.values());
        for (Queued queued : perhapsFree) {
            if (queued.sinceRevision() < revision) {
                awaited.remove(queued.entry().awaited());
                takeLead(queued);
            }
        }
    }

    public void deleted(Map<String, Long> revisions) {
        revisions.forEach((key, revision) -> {
            Queued queued = awaited.remove(key);
            if (queued != null) {
                takeLead(queued);
            }
            keys.electionOfEntry(key).map(entries::get).ifPresent(entry -> {
                entry.changed();
                if (key.equals(entry.key())) {
                    ownDeleted(entry, revision);
                }
            });
        });
    }

    private void ownDeleted(QueueEntry entry, long revision) {
        entry.own().filter(own -> own.revision() < revision).ifPresent(own -> {
            entry.gone();
            events.changed(entry.election());
        });
    }

    /** Nobody waits for the answer: a grant is pushed, and what goes wrong is left to the engine's poll. */
    private void takeLead(Queued queued) {
        QueueEntry entry = queued.entry();
        boolean stands = entry.own(queued.request().nonce()).isPresent();
        if (!open || !stands) {
            return;
        }
        CompletableFuture<ClaimReply> answer =
                new ClaimOperation(this, entry, queued.request(), entry.order().newestCall()).take();
        Stages.follow(
                answer,
                reply -> {
                    if (reply instanceof ClaimReply.Granted grant && open) {
                        events.granted(entry.election(), grant);
                    }
                },
                failure -> {});
    }
}
