package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Leader;
import dev.tenure.Scope;
import dev.tenure.kubernetes.client.LeaseApi;
import dev.tenure.kubernetes.lease.ElectionLease;
import dev.tenure.kubernetes.lease.SilenceTracker;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
    private static final int ATTEMPTS_MAX = 5;

    private final LeaseApi api;
    private final Host host;
    private final KubernetesContext context;
    private long ttlNanos = Duration.ofSeconds(15).toNanos();

    KubernetesBackend(LeaseApi api, Host host) {
        this.api = api;
        this.host = host;
        EraLease era = new EraLease(api, host);
        this.context = new KubernetesContext(api, host, era, new SilenceTracker(), new ElectionWatches(api, host));
    }

    static BackendTraits.Builder traits(LeaseApi api) {
        return BackendTraits.of(api.settings().toString())
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(TTL_MIN, TTL_MAX)
                .ttlStep(TTL_STEP)
                .expiry(BackendTraits.ExpiryJudge.OBSERVER)
                .tokens(BackendTraits.TokenSource.REVISION)
                .wakeup(BackendTraits.Wakeup.WATCH);
    }

    @Override
    public BackendTraits traits() {
        return traits(api).liveness(BackendTraits.Liveness.CLAIM).build();
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        Duration ttl =
                Duration.ofSeconds(request.ttl().plusSeconds(1).minusNanos(1).toSeconds());
        api.answerWithin(ttl);
        ttlNanos = ttl.toNanos();
        context.watches().silence(ttl);
        long sentNanos = host.nanos();
        return context.era()
                .within(0)
                .thenApply(era -> new KubernetesSession(context, request.node(), ttl, sentNanos, events));
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        context.watches().follow(election);
        return context.era()
                .within(ttlNanos)
                .thenCompose(era -> context.get(election))
                .thenApply(this::observation);
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return context.era().within(ttlNanos).thenCompose(era -> api.list("")).thenApply(found -> {
            List<Observation> all = new ArrayList<>();
            found.getItems()
                    .forEach(lease -> ElectionLease.find(lease)
                            .filter(ElectionLease::isKnown)
                            .ifPresent(one -> {
                                context.silence().saw(one, host.nanos());
                                all.add(observation(one));
                            }));
            return all;
        });
    }

    private Observation observation(ElectionLease lease) {
        Optional<Leader> leader = context.isSilent(lease, ttlNanos)
                ? Optional.empty()
                : lease.leader(() -> context.tokenOfForeign(lease));
        return new Observation(lease.election(), leader, lease.tokenMax());
    }

    /** Only of changes that somebody can see: a renewal is none. */
    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        Map<ElectionName, String> told = new HashMap<>();
        return context.watches().add(lease -> {
            String shown = lease.holder() + lease.note() + lease.lease().isPresent();
            if (!shown.equals(told.put(lease.election(), shown))) {
                changed.accept(lease.election());
            }
        });
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return leave(request, ATTEMPTS_MAX);
    }

    private CompletableFuture<Void> leave(OperatorRequest request, int attempts) {
        return context.get(request.election())
                .thenCompose(lease -> context.write(lease, lease.requesting(request)))
                .thenCompose(written -> {
                    if (written.isPresent()) {
                        return CompletableFuture.completedFuture(null);
                    }
                    if (attempts > 1) {
                        return leave(request, attempts - 1);
                    }
                    throw new BackendException(
                            Effect.NONE,
                            Kind.UNREACHABLE,
                            "the Lease of " + request.election() + " is being changed all the time; try again");
                });
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return context.era().within(0);
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return context.era().raise(atLeast);
    }

    @Override
    public void close() {
        context.watches().close();
        api.close();
    }
}
