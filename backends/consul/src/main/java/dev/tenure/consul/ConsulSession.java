// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.consul.ConsulClient.TxnReply;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.ClaimOrder;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.StoreUrl;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A session of Consul, and the locks that it holds. Every claim expects the index of the era's key. A release that finds a claim
 * whose answer did not come rewrites that key first: after that the claim cannot be applied any more. Loop-confined.
 */
final class ConsulSession implements BackendSession {
    private static final String GONE = "Consul has ended this session";
    private static final int ROUNDS_MAX = 5;
    private static final int ERA_CHECK = 0;

    private final Store store;
    private final Lease lease;
    private final SessionEvents events;
    private final Map<ElectionName, ClaimOrder<Long>> orders = new HashMap<>();
    /** The locks as they were taken. */
    private final Map<ElectionName, KeyValueEntry> own = new HashMap<>();

    private final SharedTxns txns;
    private Guard guard;
    private boolean over;
    private boolean ended;

    record Store(
            ConsulClient client, KeyWatch watch, Host host, KeyLayout keys, Supplier<CompletableFuture<Guard>> guard) {}

    record Lease(String id, Duration ttl, Duration lockDelay) {}

    record Guard(StoreEra era, long index) {}

    ConsulSession(Store store, Lease lease, Guard guard, SessionEvents events) {
        this.store = store;
        this.lease = lease;
        this.guard = guard;
        this.events = events;
        this.txns = new SharedTxns(store.client, store.host);
    }

    @Override
    public String id() {
        return lease.id;
    }

    @Override
    public Duration ttl() {
        return lease.ttl;
    }

    @Override
    public StoreEra era() {
        return guard.era;
    }

    @Override
    public CompletableFuture<RenewReply> renew() {
        if (ended) {
            return CompletableFuture.completedFuture(new RenewReply.Gone(GONE));
        }
        return txns.onLoop(store.client.renewSession(lease.id)).thenApply(known -> {
            if (!known) {
                lost();
            }
            return known ? new RenewReply.Renewed(lease.ttl) : new RenewReply.Gone(GONE);
        });
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        if (over) {
            return CompletableFuture.failedFuture(BackendException.unreachable("this session is over"));
        }
        Attempt attempt = new Attempt(request);
        Optional<ElectionKeys> seen =
                store.watch.view().map(view -> keys(request.election(), view)).filter(found -> !found.isHeld());
        return seen.isPresent() ? attempt.take(seen.get(), ROUNDS_MAX) : attempt.look(ROUNDS_MAX);
    }

    private ElectionKeys keys(ElectionName election, Map<String, KeyValueEntry> entries) {
        return ElectionKeys.of(store.keys, election, entries);
    }

    /** Linearizable. */
    private CompletableFuture<ElectionKeys> read(ElectionName election) {
        return txns.send(List.of(KeyLayout.tree(store.keys.folder(election))), new Object(), () -> !over)
                .thenApply(reply -> keys(election, reply.byKey()));
    }

    /** One claim. A newer call for the same election stops it. */
    private final class Attempt {
        private final ClaimRequest request;
        private final ElectionName election;
        private final ClaimOrder<Long> order;
        private final long call;

        Attempt(ClaimRequest request) {
            this.request = request;
            this.election = request.election();
            this.order = order(election);
            order.claims(request.nonce());
            this.call = order.nextCall();
        }

        private void requireNewest() {
            if (over || order.newestCall() != call) {
                throw BackendException.unknown(
                        over ? "this session is over" : "a newer call for " + election + " has overtaken this claim");
            }
        }

        CompletableFuture<ClaimReply> look(int rounds) {
            return read(election).thenCompose(found -> {
                requireNewest();
                Optional<LockValue> mine =
                        found.claimOf(lease.id).filter(claim -> claim.nonce().equals(request.nonce()));
                if (mine.isPresent()) {
                    found.lockOf(lease.id).ifPresent(lock -> keepNewest(election, lock));
                    return CompletableFuture.completedFuture(mine.get().granted());
                }
                boolean held = found.isHeld() && found.lockOf(lease.id).isEmpty();
                if (held || rounds == 0) {
                    return CompletableFuture.completedFuture(
                            new ClaimReply.Waiting(found.leader(guard.era.era()), false));
                }
                return take(found, rounds - 1);
            });
        }

        /** Applied only if the lock stands as it was found, so that what is said of the holder before is true. */
        CompletableFuture<ClaimReply> take(ElectionKeys found, int rounds) {
            Guard expected = guard;
            String lock = store.keys.lock(election);
            if (found.lockOf(lease.id).isEmpty()
                    && found.lock()
                            .filter(entry -> entry.flags() != KeyLayout.LOCK_FLAGS)
                            .isPresent()) {
                return CompletableFuture.failedFuture(StoreUrl.refused("key " + lock
                        + " belongs to a semaphore or to another program: choose another election, or delete it"));
            }
            LockValue claim = claim(found, expected);
            Object sent = new Object();
            order.opened(sent, expected.index);
            List<String> operations = List.of(
                    KeyLayout.unchanged(store.keys.era(), expected.index),
                    KeyLayout.unchanged(lock, found.lock()),
                    KeyLayout.locking("lock", lock, claim.lockText(), lease.id),
                    KeyLayout.set(store.keys.term(election), claim.termText(), 0));
            return txns.send(operations, order, () -> !over && order.newestCall() == call)
                    .whenComplete((reply, failure) -> {
                        if (failure == null || Stages.effectOf(failure) == Effect.NONE) {
                            order.settled(sent);
                        }
                    })
                    .thenCompose(reply -> answered(reply, claim, found, rounds));
        }

        private LockValue claim(ElectionKeys found, Guard at) {
            Optional<LockValue> before = found.term()
                    .filter(last -> !last.released() && !last.session().equals(lease.id));
            Duration belief = lease.ttl.minus(lease.lockDelay);
            Leader me = new Leader(
                    election,
                    request.holder(),
                    FencingToken.of(at.era.era(), at.index),
                    Instant.ofEpochMilli(store.host.wallMillis()),
                    request.metadata());
            return new LockValue(request.nonce(), lease.id, belief, false, before.map(LockValue::belief), me);
        }

        private CompletableFuture<ClaimReply> answered(
                TxnReply reply, LockValue claim, ElectionKeys found, int rounds) {
            if (reply.applied()) {
                KeyValueEntry lock = Objects.requireNonNull(reply.byKey().get(store.keys.lock(election)));
                LockValue granted = claim.at(lock.index());
                keepNewest(
                        election,
                        new KeyValueEntry(lock.key(), claim.lockText(), lock.index(), lock.flags(), lock.session()));
                requireNewest();
                found.term()
                        .ifPresent(last -> events.tokenObserved(
                                election, last.leader().token().value()));
                return CompletableFuture.completedFuture(granted.granted());
            }
            if (reply.why().contains("invalid session")) {
                lost();
            }
            requireNewest();
            return reply.refusedAt() == ERA_CHECK && rounds > 0
                    ? guardOtherThan(List.of()).thenCompose(moved -> look(rounds - 1))
                    : look(rounds);
        }
    }

    /** Answers may come late, when a newer lock is known. */
    private void keepNewest(ElectionName election, KeyValueEntry lock) {
        own.merge(election, lock, (known, found) -> found.index() > known.index() ? found : known);
    }

    /** Claims that expect one of these indexes of the guard cannot be applied any more: if need be, it is moved. */
    private CompletableFuture<Guard> guardOtherThan(Collection<Long> expected) {
        return txns.onLoop(store.guard.get()).thenCompose(now -> {
            guard = now;
            if (!expected.contains(now.index)) {
                return CompletableFuture.completedFuture(now);
            }
            long another = store.host.random() >>> 1;
            return txns.onLoop(store.client.txn(List.of(
                            KeyLayout.unchanged(store.keys.era(), now.index),
                            KeyLayout.set(store.keys.era(), EraRecord.text(now.era), another))))
                    .thenCompose(moved -> guardOtherThan(expected));
        });
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        ClaimOrder<Long> order = order(election);
        if (ended || !order.knows(nonce)) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
        }
        if (order.isNewest(nonce)) {
            order.nextCall();
        }
        if (!order.open().isEmpty()) {
            Map<Object, Long> before = Map.copyOf(order.open());
            return guardOtherThan(before.values())
                    .thenCompose(now -> read(election))
                    .thenCompose(found -> {
                        // Not those that were sent meanwhile. What stands is known, also if a newer claim is the one
                        // that does.
                        order.settledIf((claim, expected) -> before.containsKey(claim));
                        found.lockOf(lease.id).ifPresent(lock -> keepNewest(election, lock));
                        return release(found, nonce, ROUNDS_MAX);
                    });
        }
        KeyValueEntry held = own.get(election);
        return held == null
                ? CompletableFuture.completedFuture(ReleaseReply.NOT_HELD)
                : release(keys(election, Map.of(held.key(), held)), nonce, ROUNDS_MAX);
    }

    /** Gives up the lock if it stands as it was found, and is not that of a newer claim. */
    private CompletableFuture<ReleaseReply> release(ElectionKeys found, Nonce nonce, int rounds) {
        ElectionName election = found.election();
        Optional<LockValue> claim = found.claimOf(lease.id);
        boolean newer = claim.filter(there -> !order(election).isUpTo(there.nonce(), nonce))
                .isPresent();
        if (found.lockOf(lease.id).isEmpty() || newer) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
        }
        KeyValueEntry lock = found.lockOf(lease.id).get();
        List<String> operations = new ArrayList<>(List.of(
                KeyLayout.unchanged(lock.key(), lock.index()), KeyLayout.locking("unlock", lock.key(), "", lease.id)));
        claim.ifPresent(there -> operations.add(KeyLayout.set(store.keys.term(election), there.releasedText(), 0)));
        return txns.send(operations, order(election), () -> !over).thenCompose(reply -> {
            own.computeIfPresent(election, (name, entry) -> entry.index() <= lock.index() ? null : entry);
            if (reply.applied()) {
                return CompletableFuture.completedFuture(ReleaseReply.RELEASED);
            }
            if (rounds == 0) {
                throw BackendException.unreachable("key " + lock.key() + " is being changed by others all the time");
            }
            return read(election).thenCompose(again -> release(again, nonce, rounds - 1));
        });
    }

    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        if (ended) {
            return CompletableFuture.completedFuture(false);
        }
        return read(term.election())
                .thenApply(found -> found.claimOf(lease.id)
                        .filter(claim -> claim.nonce().equals(term.nonce()))
                        .filter(claim -> claim.leader().token().equals(term.token()))
                        .isPresent());
    }

    @Override
    public CompletableFuture<Boolean> catchUp() {
        return store.watch.catchUp();
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        String key = store.keys.request(request.election());
        return store.client.txn(List.of(KeyLayout.tree(key))).thenCompose(found -> {
            KeyValueEntry there = found.byKey().get(key);
            return there == null || !there.value().equals(RequestRecord.text(request))
                    ? CompletableFuture.completedFuture(null)
                    : store.client
                            .txn(List.of(KeyLayout.unchanged(key, there.index()), KeyLayout.operation("delete", key)))
                            .thenApply(removed -> null);
        });
    }

    /** Told by the watch. Its own locks are no news. */
    void changed(Set<String> keys, Map<String, KeyValueEntry> view) {
        for (String key : keys) {
            KeyValueEntry entry = view.get(key);
            Optional<ElectionName> election = store.keys.electionOf(key);
            if (over || election.isEmpty()) {
                continue;
            }
            if (key.equals(store.keys.request(election.get())) && entry != null) {
                RequestRecord.find(entry.value()).ifPresent(events::requested);
            } else if (key.equals(store.keys.lock(election.get())) && orders.containsKey(election.get())) {
                KeyValueEntry mine = own.get(election.get());
                if (mine == null || entry == null || mine.index() != entry.index()) {
                    events.changed(election.get());
                }
            }
        }
    }

    private ClaimOrder<Long> order(ElectionName election) {
        return orders.computeIfAbsent(election, name -> new ClaimOrder<>());
    }

    private void lost() {
        ended = true;
        if (!over) {
            abandon();
            events.lost(GONE);
        }
    }

    @Override
    public void abandon() {
        over = true;
        store.watch.leave(this);
    }

    @Override
    public CompletableFuture<Void> close() {
        abandon();
        ended = true;
        return store.client.destroySession(lease.id);
    }
}
