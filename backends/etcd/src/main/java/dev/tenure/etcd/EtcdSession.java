package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.etcd.claim.EntryValue;
import dev.tenure.etcd.claim.QueueEntries;
import dev.tenure.etcd.claim.TermCodec;
import dev.tenure.etcd.client.EtcdClient.ClusterRevision;
import dev.tenure.etcd.client.EtcdError;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Operation;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.TxnReply;
import dev.tenure.etcd.session.EtcdContext;
import dev.tenure.etcd.session.GrantedLease;
import dev.tenure.etcd.session.RevisionTracker;
import dev.tenure.etcd.session.TxnBatcher;
import dev.tenure.etcd.session.TxnBatcher.SessionGuard;
import dev.tenure.etcd.session.WatchHub;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A lease, and all that hangs on it. Loop-confined. */
final class EtcdSession implements BackendSession, WatchHub.Listener {
    private final EtcdContext store;
    private final GrantedLease lease;
    private final SessionEvents events;
    private final TxnBatcher batcher;
    private final QueueEntries entries;
    private final RevisionTracker quiet;
    private final Runnable doubt;
    private boolean over;
    private boolean ended;

    EtcdSession(EtcdContext store, GrantedLease lease, SessionGuard at, ClusterRevision began, SessionEvents events) {
        this.store = store;
        this.lease = lease;
        this.events = events;
        this.batcher = new TxnBatcher(store.client(), store.host(), store.keys(), lease, at, this::lost);
        this.quiet = new RevisionTracker(began);
        this.entries = new QueueEntries(store, batcher, lease, quiet, events);
        this.doubt = () -> {
            quiet.doubt();
            entries.disconnected();
        };
        store.client().onDisconnect(doubt);
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

    /** Some versions acknowledge the renewal of a dead lease: there the session's own key, which dies with it, is read too. */
    @Override
    public CompletableFuture<RenewReply> renew() {
        if (ended) {
            return CompletableFuture.completedFuture(new RenewReply.Gone(TxnBatcher.LEASE_ENDED));
        }
        CompletableFuture<RenewReply> kept = store.client()
                .keepAlive(lease.id(), lease.callTimeout())
                .thenApply(renewal -> {
                    entries.recordAgain();
                    quiet.renewed(renewal.at());
                    return !renewal.ttl().isZero()
                            ? new RenewReply.Renewed(renewal.ttl())
                            : new RenewReply.Gone(TxnBatcher.LEASE_ENDED);
                });
        if (!store.mayRenewDeadLeases().getAsBoolean()) {
            return kept;
        }
        return kept.thenCombine(
                read(Operation.get(store.keys().session(lease.id()))),
                (reply, found) ->
                        found.part(0).first().isPresent() ? reply : new RenewReply.Gone(TxnBatcher.LEASE_ENDED));
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        if (over) {
            return CompletableFuture.failedFuture(
                    new BackendException(Effect.NONE, Kind.UNREACHABLE, "this session is over"));
        }
        try {
            return entries.claim(request);
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    @Override
    public CompletableFuture<Boolean> catchUp() {
        return ended ? CompletableFuture.completedFuture(false) : entries.catchUp();
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        if (ended) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD); // it went with the lease
        }
        return entries.release(election, nonce);
    }

    /**
     * One read for two questions: requests that were not told are found here, once a heartbeat. None if the renewal just now
     * has shown that nothing was written to the store since the last one.
     */
    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        if (ended) {
            return CompletableFuture.completedFuture(false);
        }
        if (entries.holds(term) && quiet.takeWord()) {
            return CompletableFuture.completedFuture(true);
        }
        Runnable checked = quiet.asking();
        return read(
                        Operation.get(store.keys().entry(term.election(), lease.id())),
                        Operation.get(store.keys().term(term.election())),
                        Operation.get(store.keys().requests()))
                .thenApply(found -> {
                    checked.run();
                    if (!over) {
                        store.hub().tellRequests(found.part(2).all());
                    }
                    Optional<TermRecord> last = found.part(1).first().flatMap(TermCodec::find);
                    return found.part(0)
                            .first()
                            .filter(own -> isOf(term, own))
                            .filter(own -> last.filter(known -> isOtherEra(known, term))
                                    .isEmpty())
                            .isPresent();
                });
    }

    private boolean isOf(Term term, KeyValue own) {
        return own.createRevision() == term.token().sequence()
                && own.lease() == lease.id()
                && EntryValue.of(own)
                        .filter(claim -> claim.nonce().equals(term.nonce()))
                        .isPresent();
    }

    private static boolean isOtherEra(TermRecord last, Term term) {
        return last.token().sequence() == term.token().sequence()
                && last.token().era() != term.token().era();
    }

    private CompletableFuture<TxnReply> read(Operation... operations) {
        return store.client().txn(new Txn().then(operations), lease.callTimeout());
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        String key = store.keys().request(request.election());
        Txn txn = new Txn().ifValue(key, RequestRecord.text(request)).then(Operation.delete(key));
        return store.client().txn(txn, lease.callTimeout()).thenApply(reply -> null);
    }

    @Override
    public void abandon() {
        over = true;
        store.client().removeOnDisconnect(doubt);
        entries.close();
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
            boolean told = over;
            abandon();
            if (!told) {
                events.lost(why);
            }
        }
    }

    @Override
    public void missedUpTo(long revision) {
        entries.missedUpTo(revision);
    }

    @Override
    public void deleted(Map<String, Long> revisions) {
        if (revisions.containsKey(store.keys().session(lease.id()))) {
            lost(TxnBatcher.LEASE_ENDED);
        } else {
            entries.deleted(revisions);
        }
    }

    @Override
    public void requested(OperatorRequest request) {
        events.requested(request);
    }
}
