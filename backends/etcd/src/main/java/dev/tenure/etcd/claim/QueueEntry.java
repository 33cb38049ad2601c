// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.Txn.Operation;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.support.ClaimOrder;
import dev.tenure.spi.support.TermRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What one session has in one election, as far as it knows. There may be thousands, so it keeps little. Loop-confined. */
public final class QueueEntry {
    private final ElectionName election;
    private final Keys keys;
    private final long lease;
    /** Open claims were sent under a guard, and may be applied as long as it has not moved. */
    private final ClaimOrder<Long> order = new ClaimOrder<>();

    private Optional<Own> own = Optional.empty();
    private Optional<Awaited> awaited = Optional.empty();
    private long leftAt;

    /**
     * My entry in the store.
     *
     * @param revision that created it: its place in the queue
     * @param grant once it was proved to be at the front
     * @param since when it was created or granted, for people
     */
    record Own(Nonce nonce, long revision, Optional<ClaimReply.Granted> grant, Instant since) {
        /** What is to be written down of the term that it holds. */
        Optional<TermRecord> term(Duration ttl) {
            return grant.map(led -> new TermRecord(led.token(), true, nonce.toString(), ttl, since));
        }
    }

    /**
     * The entry just before mine.
     *
     * @param request of mine
     * @param sinceRevision at which it was seen there
     */
    record Awaited(ClaimRequest request, String key, long lease, long sinceRevision) {}

    /** @throws dev.tenure.spi.BackendException if an election of this name has no place of its own */
    public QueueEntry(Keys keys, ElectionName election, long lease) {
        keys.election(election);
        this.keys = keys;
        this.election = election;
        this.lease = lease;
    }

    ElectionName election() {
        return election;
    }

    String key() {
        return keys.entry(election, lease);
    }

    KeyRange range() {
        return keys.election(election);
    }

    String termKey() {
        return keys.term(election);
    }

    ClaimOrder<Long> order() {
        return order;
    }

    // ---- the entry

    Optional<Own> own() {
        return own;
    }

    /** My entry, if it is of this attempt. */
    Optional<Own> own(Nonce nonce) {
        return own.filter(mine -> mine.nonce().equals(nonce));
    }

    Own created(Nonce nonce, long revision, Optional<ClaimReply.Granted> grant, Instant since) {
        Own mine = new Own(nonce, revision, grant, since);
        own = Optional.of(mine);
        return mine;
    }

    void gone() {
        own = Optional.empty();
    }

    /**
     * Deletes one entry, and no other: it is named by the revision that created it. If it held a term, the term is recorded as
     * released in the same step.
     */
    public Txn deletion(long revision, Optional<TermRecord> term) {
        Txn txn = new Txn().ifCreated(key(), revision).then(Operation.delete(key()));
        term.ifPresent(held -> txn.then(Operation.put(termKey(), held.released().text())));
        return txn;
    }

    // ---- whom it waits for

    Optional<Awaited> awaited() {
        return awaited;
    }

    void await(Optional<Awaited> predecessor) {
        awaited = predecessor;
    }

    /** Somebody has left the queue, at this revision. */
    void left(long revision) {
        leftAt = revision;
    }

    boolean hasLeftSince(long revision) {
        return leftAt > revision;
    }

    /** It waits, but for nobody that is known; or somebody has left its queue since it was looked at. */
    boolean isDoubtful() {
        boolean known =
                awaited.filter(before -> !hasLeftSince(before.sinceRevision())).isPresent();
        return !known && own.filter(mine -> mine.grant().isEmpty()).isPresent();
    }

    boolean isForgettable() {
        return own.isEmpty() && order.open().isEmpty();
    }
}
