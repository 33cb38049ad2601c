// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.etcd.claim.ElectionScanner;
import dev.tenure.etcd.claim.EtcdContext;
import dev.tenure.etcd.claim.EtcdSession;
import dev.tenure.etcd.claim.SessionGuard;
import dev.tenure.etcd.claim.WatchHub;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.EtcdError;
import dev.tenure.etcd.client.EtcdSettings;
import dev.tenure.etcd.client.GrantedLease;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.Txn.Operation;
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
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Elections in etcd 3.4 or newer. A session is a lease, a candidate is a key attached to it, the candidate whose key was
 * created first leads, and the revision of that creation is its token. Loop-confined, except for {@link #traits}, {@link
 * #watch} and {@link #close}.
 */
final class EtcdBackend implements Backend {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** What etcd grants at least, with its usual election timeout of one second. */
    private static final Duration TTL_MIN = Duration.ofSeconds(2);

    private static final Duration TTL_MAX = Duration.ofDays(1);
    private static final Duration TTL_STEP = Duration.ofSeconds(1);

    private final EtcdContext store;
    private final ElectionScanner scanner;
    private final String shown;
    private volatile BackendTraits traits;
    private Optional<ServerVersion> version = Optional.empty();
    private boolean clusterAsked;

    /** Connects when something is asked of it. */
    EtcdBackend(EtcdSettings settings, Host host) {
        EtcdClient client = EtcdClient.on(host, settings);
        WatchHub hub = new WatchHub(client, host, settings.keys());
        this.store = new EtcdContext(client, hub, host, settings.keys(), this::mayRenewDeadLeases);
        this.scanner = new ElectionScanner(client, settings.keys());
        this.shown = settings.shown();
        this.traits = traits(shown, "");
    }

    private static BackendTraits traits(String store, String weakness) {
        return BackendTraits.of(store)
                .grade(weakness.isEmpty() ? Grade.A : Grade.B, weakness)
                .scope(Scope.CLUSTER)
                .ttl(TTL_MIN, TTL_MAX)
                .ttlStep(TTL_STEP)
                .expiry(BackendTraits.ExpiryDetection.SERVER_TTL)
                .tokens(BackendTraits.TokenSource.REVISION)
                .wakeup(BackendTraits.Wakeup.QUEUE)
                .build();
    }

    /**
     * The grade is A until the version of the server is known. The first session and the first read ask for it, and for the
     * members of the cluster.
     */
    @Override
    public BackendTraits traits() {
        return traits;
    }

    /** An unknown version is not trusted. */
    private boolean mayRenewDeadLeases() {
        return version.map(ServerVersion::mayRenewDeadLeases).orElse(true);
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        return learnCluster()
                .thenCompose(known -> store.client().grantLease(request))
                .thenCompose(lease -> enroll(lease, events));
    }

    private CompletableFuture<BackendSession> enroll(GrantedLease lease, SessionEvents events) {
        StoreEra fresh = EraRecord.fresh(store.host());
        Operation guard = Operation.put(store.keys().session(lease.id()), lease.text(), lease.id());
        Txn txn = findOrMakeEra(fresh).then(guard).otherwise(guard);
        return store.client().txn(txn).thenApply(reply -> {
            long revision = reply.revision();
            SessionGuard at = new SessionGuard(fresh, revision, revision);
            if (!reply.succeeded()) {
                KeyValue stored = reply.first(0).orElseThrow();
                at = new SessionGuard(stored.era(), stored.modRevision(), revision);
            }
            EtcdSession session = new EtcdSession(store, lease, at, events);
            store.hub().join(session);
            return session;
        });
    }

    private Txn findOrMakeEra(StoreEra fresh) {
        String key = store.keys().era();
        return new Txn()
                .ifCreated(key, 0)
                .then(Operation.put(key, EraRecord.text(fresh)))
                .otherwise(Operation.get(key));
    }

    /** Both questions are sent together. A server that refuses them is used all the same. */
    private CompletableFuture<Boolean> learnCluster() {
        CompletableFuture<Optional<ServerVersion>> answered = store.client()
                .version()
                .thenApply(ServerVersion::parse)
                .exceptionallyCompose(failure -> Stages.rootOf(failure) instanceof EtcdError
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(failure));
        CompletableFuture<Integer> members = store.client().voters().exceptionally(refused -> 0);
        return answered.thenCombine(members, (found, count) -> {
            clusterAsked = true;
            learned(found.or(() -> version), count);
            return true;
        });
    }

    private void learned(Optional<ServerVersion> found, int members) {
        BackendTraits before = traits;
        String weakness = found.map(ServerVersion::weakness).orElse("");
        traits = traits(found.map(known -> "etcd " + known + " at " + shown).orElse(shown), weakness)
                .change()
                .members(members > 0 ? members : before.members())
                .build();
        if (!weakness.isEmpty() && !version.equals(found)) {
            LOG.log(Level.WARNING, "grade B instead of A: {0}", weakness);
        }
        if (before.members() != traits.members() && !traits.survival().isEmpty()) {
            LOG.log(Level.INFO, "{0}: {1}", traits.store(), traits.survival());
        }
        version = found;
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return knowingTheCluster(() -> scanner.read(election));
    }

    /** A process that only looks shows the traits too. */
    private <T> CompletionStage<T> knowingTheCluster(Supplier<CompletionStage<T>> look) {
        CompletableFuture<Boolean> known = clusterAsked ? CompletableFuture.completedFuture(true) : learnCluster();
        return known.thenCompose(asked -> look.get());
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return knowingTheCluster(scanner::list);
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return store.hub().watch(changed);
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        Operation put = Operation.put(store.keys().request(request.election()), RequestRecord.text(request));
        return store.client().txn(new Txn().then(put)).thenApply(reply -> null);
    }

    @Override
    public CompletableFuture<StoreEra> era() {
        StoreEra fresh = EraRecord.fresh(store.host());
        return store.client()
                .txn(findOrMakeEra(fresh))
                .thenApply(reply ->
                        reply.succeeded() ? fresh : reply.first(0).orElseThrow().era());
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return EraRecord.raise(atLeast, this::era, now -> now, this::replace);
    }

    private CompletableFuture<Boolean> replace(StoreEra now, StoreEra raised) {
        String key = store.keys().era();
        Txn txn = new Txn().ifValue(key, EraRecord.text(now)).then(Operation.put(key, EraRecord.text(raised)));
        return store.client().txn(txn).thenApply(Txn.Reply::succeeded);
    }

    @Override
    public void close() {
        store.hub().close();
        store.client().close();
    }
}
