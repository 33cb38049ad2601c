package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.etcd.client.EtcdError;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Operation;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.TxnReply;
import dev.tenure.etcd.client.WatchHub;
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
import java.util.concurrent.CompletableFuture;

/** A lease, and all that hangs on it. Loop-confined. */
public final class EtcdSession implements BackendSession, WatchHub.Listener {
    private final EtcdContext store;
    private final GrantedLease lease;
    private final SessionEvents events;
    private final TxnBatcher batcher;
    private final QueueEntries entries;
    private final Runnable onDisconnect;
    private boolean over;
    private boolean ended;

    public EtcdSession(EtcdContext store, GrantedLease lease, SessionGuard at, SessionEvents events) {
        this.store = store;
        this.lease = lease;
        this.events = events;
        this.batcher = new TxnBatcher(store, lease, at, this::lost);
        this.entries = new QueueEntries(store, batcher, lease, events);
        this.onDisconnect = entries::disconnected;
        store.client().onDisconnect(onDisconnect);
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
            return CompletableFuture.completedFuture(new RenewReply.Gone(GrantedLease.ENDED));
        }
        CompletableFuture<RenewReply> kept = store.client()
                .keepAlive(lease.id(), lease.callTimeout())
                .thenApply(ttl -> {
                    entries.recordAgain();
                    return !ttl.isZero() ? new RenewReply.Renewed(ttl) : new RenewReply.Gone(GrantedLease.ENDED);
                });
        if (!store.mayRenewDeadLeases().getAsBoolean()) {
            return kept;
        }
        return kept.thenCombine(
                read(Operation.get(store.keys().session(lease.id()))),
                (reply, found) -> found.first(0).isPresent() ? reply : new RenewReply.Gone(GrantedLease.ENDED));
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

    /** One read for two questions: requests that were not told are found here, with every look of a leader. */
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
                        store.hub().tellRequests(found.all(2));
                    }
                    boolean otherEra = found.first(1)
                            .flatMap(TermCodec::find)
                            .filter(last -> isOtherEra(last, term))
                            .isPresent();
                    long created = term.token().sequence();
                    return !otherEra
                            && found.first(0)
                                    .filter(own -> EntryValue.isOf(own, created, lease.id(), term.nonce()))
                                    .isPresent();
                });
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
        store.client().removeOnDisconnect(onDisconnect);
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
            lost(GrantedLease.ENDED);
        } else {
            entries.deleted(revisions);
        }
    }

    @Override
    public void requested(OperatorRequest request) {
        events.requested(request);
    }
}
