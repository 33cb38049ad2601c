// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Leader;
import dev.tenure.Scope;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * One Lease for each election, named after it, with the fields that every elector of Kubernetes knows: client-go, fabric8 and others can stand in
 * the same election. The token is the resource version of the write that took the Lease. Loop-confined, except for {@link #traits}, {@link
 * #watch} and {@link #close}.
 */
final class KubernetesBackend implements Backend {
    private static final Duration TTL_MIN = Duration.ofSeconds(1);
    private static final Duration TTL_MAX = Duration.ofHours(1);
    private static final Duration TTL_STEP = Duration.ofSeconds(1);

    private final LeaseApi api;
    private final Host host;
    private final ElectionLeases leases;
    private final ElectionWatches watches;
    private long ttlNanos = Duration.ofSeconds(15).toNanos();

    KubernetesBackend(LeaseApi api, Host host) {
        this.api = api;
        this.host = host;
        this.leases = new ElectionLeases(api, host, new EraLease(new RecordLeases(api, host), host));
        this.watches = new ElectionWatches(api, host);
    }

    @Override
    public BackendTraits traits() {
        return traits(api).liveness(BackendTraits.Liveness.CLAIM).build();
    }

    /** Both modes promise the same; they differ in what a renewal costs. */
    static BackendTraits.Builder traits(LeaseApi api) {
        return BackendTraits.of(api.settings().toString())
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(TTL_MIN, TTL_MAX)
                .ttlStep(TTL_STEP)
                .expiry(BackendTraits.ExpiryDetection.OBSERVER)
                .tokens(BackendTraits.TokenSource.REVISION)
                .wakeup(BackendTraits.Wakeup.WATCH);
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        Duration ttl =
                Duration.ofSeconds(request.ttl().plusSeconds(1).minusNanos(1).toSeconds());
        api.answerWithin(ttl);
        ttlNanos = ttl.toNanos();
        watches.silence(ttl);
        long sentNanos = host.nanos();
        return leases.era()
                .within(0)
                .thenApply(era -> new KubernetesSession(leases, watches, request.node(), ttl, sentNanos, events));
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        watches.follow(election);
        return leases.era()
                .within(ttlNanos)
                .thenCompose(era -> leases.get(election))
                .thenApply(this::observation);
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return leases.era().within(ttlNanos).thenCompose(era -> api.list("")).thenApply(found -> {
            List<ElectionLease> known = found.getItems().stream()
                    .flatMap(lease -> ElectionLease.find(lease).stream())
                    .filter(ElectionLease::isKnown)
                    .toList();
            known.forEach(leases::observed);
            return known.stream().map(this::observation).toList();
        });
    }

    private Observation observation(ElectionLease lease) {
        Optional<Leader> leader =
                leases.isSilent(lease, ttlNanos) ? Optional.empty() : lease.leader(() -> leases.tokenOfForeign(lease));
        return new Observation(lease.election(), leader, lease.tokenMax());
    }

    /** Only of changes that somebody can see: a renewal is none. */
    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        Map<ElectionName, String> told = new HashMap<>();
        return watches.add(lease -> {
            String shown = lease.holder() + lease.note() + lease.lease().isPresent();
            if (!shown.equals(told.put(lease.election(), shown))) {
                changed.accept(lease.election());
            }
        });
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return leases.change(request.election(), lease -> Optional.of(lease.requesting(request)))
                .thenAccept(written -> {});
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return leases.era().within(0);
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return leases.era().raise(atLeast);
    }

    @Override
    public void close() {
        watches.close();
        api.close();
    }
}
