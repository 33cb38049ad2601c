package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.etcd.grpc.Message;
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
final class EtcdSession implements BackendSession, Notices.Listener {
    static final String LEASE_ENDED = "etcd does not know its lease any more: it expired, or was revoked";

    private final EtcdBackend.Place store;
    private final Lease lease;
    private final SessionEvents events;
    private final Courier courier;
    private final Places places;
    private final Quiet quiet;
    private final Runnable doubt;
    private boolean over;
    private boolean ended;

    EtcdSession(EtcdBackend.Place store, Lease lease, Standpoint at, Moment began, SessionEvents events) {
        this.store = store;
        this.lease = lease;
        this.events = events;
        this.courier = new Courier(store.gateway(), store.host(), store.keys(), lease, at, this::lost);
        this.quiet = new Quiet(began);
        this.doubt = quiet::doubt;
        store.gateway().whenLeft(doubt);
        this.places = new Places(store, courier, lease, quiet, events);
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
        return courier.era();
    }

    /** Some versions acknowledge the renewal of a dead lease: there the session's own key, which dies with it, is read too. */
    @Override
    public CompletableFuture<RenewReply> renew() {
        if (ended) {
            return CompletableFuture.completedFuture(new RenewReply.Gone(LEASE_ENDED));
        }
        CompletableFuture<RenewReply> kept = store.gateway()
                .call(Method.KEEP_LEASE_ALIVE, lease.request(), lease.patience())
                .thenApply(reply -> {
                    places.recordAgain();
                    quiet.renewed(Moment.of(reply));
                    long seconds = reply.number(3);
                    return seconds > 0
                            ? new RenewReply.Renewed(Duration.ofSeconds(seconds))
                            : new RenewReply.Gone(LEASE_ENDED);
                });
        if (!store.mayRenewDeadLeases().getAsBoolean()) {
            return kept;
        }
        return kept.thenCombine(
                read(Txn.get(store.keys().session(lease.id()))),
                (reply, found) -> found.part(0).first().isPresent() ? reply : new RenewReply.Gone(LEASE_ENDED));
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        if (over) {
            return CompletableFuture.failedFuture(
                    new BackendException(Effect.NONE, Kind.UNREACHABLE, "this session is over"));
        }
        try {
            return places.claim(request);
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        if (ended) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD); // it went with the lease
        }
        return places.release(election, nonce);
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
        if (places.holds(term) && quiet.takeWord()) {
            return CompletableFuture.completedFuture(true);
        }
        Runnable checked = quiet.asking();
        return read(
                        Txn.get(store.keys().entry(term.election(), lease.id())),
                        Txn.get(store.keys().term(term.election())),
                        Txn.get(store.keys().requests()))
                .thenApply(found -> {
                    checked.run();
                    if (!over) {
                        store.notices().tellRequests(found.part(2).all());
                    }
                    Optional<TermRecord> last = found.part(1).first().flatMap(TermText::find);
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
                && ClaimText.of(own)
                        .filter(claim -> claim.nonce().equals(term.nonce()))
                        .isPresent();
    }

    private static boolean isOtherEra(TermRecord last, Term term) {
        return last.token().sequence() == term.token().sequence()
                && last.token().era() != term.token().era();
    }

    private CompletableFuture<TxnReply> read(Message... operations) {
        return store.gateway().txn(new Txn().then(operations), lease.patience());
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        String key = store.keys().request(request.election());
        Txn txn = new Txn().ifValue(key, RequestRecord.text(request)).then(Txn.delete(key));
        return store.gateway().txn(txn, lease.patience()).thenApply(reply -> null);
    }

    @Override
    public void abandon() {
        over = true;
        store.gateway().forget(doubt);
        places.close();
        store.notices().leave(this);
    }

    @Override
    public CompletableFuture<Void> close() {
        abandon();
        ended = true;
        return store.gateway()
                .call(Method.REVOKE_LEASE, lease.request())
                .<Void>thenApply(reply -> null)
                .exceptionallyCompose(
                        failure -> Stages.rootOf(failure) instanceof Trouble trouble && trouble.isLeaseGone()
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
    public void deafUntil(long revision) {
        places.deafUntil(revision);
    }

    @Override
    public void deleted(Map<String, Long> revisions) {
        if (revisions.containsKey(store.keys().session(lease.id()))) {
            lost(LEASE_ENDED);
        } else {
            places.deleted(revisions);
        }
    }

    @Override
    public void requested(OperatorRequest request) {
        events.requested(request);
    }
}
