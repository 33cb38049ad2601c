// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * One process that stands in elections, each of which is a Lease. There is no record of the session itself: it lives in the claims that it renews,
 * one write for each; without a claim a renewal reads the era. Loop-confined.
 */
final class KubernetesSession implements BackendSession {
    private static final double ERA_FRESH_SHARE_OF_TTL = 0.05;
    /** Renewals begin after a quarter of the TTL; with the longest drain that core allows, terms begin to end after a half. */
    private static final double LATE_SHARE_OF_TTL = 0.4;

    private final ElectionLeases leases;
    private final ElectionWatches watches;
    private final SessionEvents events;
    private final String id;
    private final String identity;
    private final Duration ttl;
    private final String storeId;
    private final Map<ElectionName, ElectionClaim> claims = new HashMap<>();
    /** Found lost, and not yet told by a renewal that was acknowledged. */
    private final Set<RenewReply.LostClaim> untold = new LinkedHashSet<>();

    private final Watch watch;
    private long acknowledgedNanos;
    private long renewalSentNanos;
    /** Since the last renewal that was acknowledged. */
    private boolean someRenewed;

    private boolean over;

    KubernetesSession(
            ElectionLeases leases,
            ElectionWatches watches,
            String node,
            Duration ttl,
            long sentNanos,
            SessionEvents events) {
        Host host = leases.host();
        this.leases = leases;
        this.watches = watches;
        this.events = events;
        this.id = new Nonce(host.random(), host.random()).toString();
        this.identity = node + "_" + id;
        this.ttl = ttl;
        this.storeId = leases.era().known().storeId();
        this.acknowledgedNanos = sentNanos;
        this.renewalSentNanos = sentNanos;
        this.watch = watches.add(this::onWatched);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration ttl() {
        return ttl;
    }

    @Override
    public StoreEra era() {
        return leases.era().known();
    }

    // ---- for its claims

    String identity() {
        return identity;
    }

    SessionEvents events() {
        return events;
    }

    boolean isOver() {
        return over;
    }

    long renewalSentNanos() {
        return renewalSentNanos;
    }

    void claimRenewed() {
        someRenewed = true;
    }

    /** Do renewals keep failing although the server lets this client write? */
    boolean keepsFailingInPart() {
        return someRenewed && renewalSentNanos - acknowledgedNanos > ttl.toNanos() * LATE_SHARE_OF_TTL;
    }

    boolean isMine(ElectionLease lease) {
        return lease.holder().equals(identity);
    }

    /**
     * The next renewal that is acknowledged says so, whichever has found it: the one that did may fail because of another claim, or be
     * overtaken.
     */
    void lost(ElectionName election, Nonce nonce) {
        untold.add(new RenewReply.LostClaim(election, nonce));
    }

    CompletableFuture<?> checkEra() {
        return checkEra((long) (ttl.toNanos() * ERA_FRESH_SHARE_OF_TTL));
    }

    /** Another store id is another store: what this session knows is void. */
    private CompletableFuture<?> checkEra(long freshNanos) {
        return leases.era().within(freshNanos).thenAccept(era -> {
            if (!era.storeId().equals(storeId)) {
                events.lost("the store was emptied or replaced since this session was opened");
                throw overtaken(Effect.NONE);
            }
        });
    }

    static BackendException overtaken(Effect effect) {
        return new BackendException(
                effect, Kind.UNREACHABLE, "this call was overtaken by a newer one, or by the end of its session");
    }

    private ElectionClaim claim(ElectionName election) {
        return claims.computeIfAbsent(election, name -> new ElectionClaim(this, leases, name));
    }

    // ---- calls

    @Override
    public CompletionStage<RenewReply> renew() {
        long sentNanos = leases.host().nanos();
        if (over || sentNanos - acknowledgedNanos > ttl.toNanos()) {
            return CompletableFuture.completedFuture(
                    new RenewReply.Gone("this session was closed or silent for its TTL"));
        }
        renewalSentNanos = sentNanos;
        CompletableFuture<?>[] renewals = claims.values().stream()
                .flatMap(claim -> claim.renew().stream())
                .toArray(CompletableFuture[]::new);
        CompletableFuture<?> all = renewals.length == 0 ? checkEra(0) : CompletableFuture.allOf(renewals);
        return all.thenApply(done -> {
            acknowledgedNanos = sentNanos;
            someRenewed = false;
            List<RenewReply.LostClaim> lost = List.copyOf(untold);
            untold.clear();
            return new RenewReply.Renewed(ttl, lost);
        });
    }

    @Override
    public boolean pushesClaimLoss() {
        return true; // each renewal writes each claim, and tells what was lost
    }

    @Override
    public CompletionStage<ClaimReply> claim(ClaimRequest request) {
        if (over) {
            return CompletableFuture.failedFuture(overtaken(Effect.NONE));
        }
        watches.follow(request.election());
        return claim(request.election()).claim(request);
    }

    @Override
    public CompletionStage<ReleaseReply> release(ElectionName election, Nonce nonce) {
        return claim(election).release(nonce);
    }

    @Override
    public CompletionStage<Boolean> holds(Term term) {
        return claim(term.election()).holds(term);
    }

    @Override
    public CompletionStage<Void> clear(OperatorRequest request) {
        return claim(request.election()).clear(request);
    }

    private void onWatched(ElectionLease lease) {
        ElectionClaim claim = claims.get(lease.election());
        if (!over && claim != null) {
            claim.onWatched(lease);
        }
    }

    @Override
    public CompletionStage<Boolean> catchUp() {
        Set<ElectionName> waiting = claims.keySet().stream()
                .filter(election -> claim(election).waits())
                .collect(Collectors.toSet());
        return CompletableFuture.completedFuture(watches.isCurrent(waiting));
    }

    @Override
    public void abandon() {
        over = true;
        watch.close();
        claims.values().forEach(ElectionClaim::stopWaiting);
    }

    @Override
    public CompletionStage<Void> close() {
        abandon();
        return CompletableFuture.allOf(claims.values().stream()
                .flatMap(claim -> claim.releaseAll().stream())
                .toArray(CompletableFuture[]::new));
    }
}
