package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.MessageWriter;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendUrl;
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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Elections in etcd 3.4 or newer. A session is a lease, a candidate is a key attached to it, the candidate whose key was
 * created first leads, and the revision of that creation is its token. Loop-confined, except for {@link #traits}, {@link
 * #watch} and {@link #close}.
 */
public final class EtcdBackend implements Backend {
    private static final Logger LOG = System.getLogger("dev.tenure");
    /** What etcd grants at least, with its usual election timeout of one second. */
    private static final Duration TTL_MIN = Duration.ofSeconds(2);

    private static final Duration TTL_MAX = Duration.ofDays(1);
    private static final Duration TTL_STEP = Duration.ofSeconds(1);

    private final Place place;
    private final Looks looks;
    private final String shown;
    private volatile BackendTraits traits;
    private Optional<ServerVersion> version = Optional.empty();
    private boolean clusterAsked;

    /** Where sessions live. */
    record Place(Gateway gateway, Notices notices, Host host, Keys keys, BooleanSupplier mayRenewDeadLeases) {}

    private EtcdBackend(Settings settings, Host host) {
        Gateway gateway = new Gateway(settings, host);
        Notices notices = new Notices(gateway, host, settings.keys());
        this.place = new Place(gateway, notices, host, settings.keys(), this::mayRenewDeadLeases);
        this.looks = new Looks(gateway, settings.keys());
        this.shown = settings.shown();
        this.traits = traits(shown, "");
    }

    /** Connects when something is asked of it. */
    public static EtcdBackend connect(String url, Host host) {
        return connect(BackendUrl.parse(url), host);
    }

    static EtcdBackend connect(BackendUrl url, Host host) {
        return new EtcdBackend(Settings.of(url), host);
    }

    private static BackendTraits traits(String store, String weakness) {
        return BackendTraits.of(store)
                .grade(weakness.isEmpty() ? Grade.A : Grade.B, weakness)
                .scope(Scope.CLUSTER)
                .ttl(TTL_MIN, TTL_MAX)
                .ttlStep(TTL_STEP)
                .expiry(BackendTraits.ExpiryJudge.SERVER_TTL)
                .tokens(BackendTraits.TokenSource.REVISION)
                .wakeup(BackendTraits.Wakeup.QUEUE)
                .build();
    }

    /**
     * The grade is A until the server has told its version, with the first session and the first look. Then it also tells
     * its members.
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
        long seconds = Math.max(1, (request.ttl().toMillis() + 999) / 1000);
        return learnCluster()
                .thenCompose(known -> place.gateway()
                        .call(
                                Method.GRANT_LEASE,
                                new MessageWriter().number(1, seconds).done()))
                .thenCompose(granted -> enroll(
                        new Lease(granted.number(2), Duration.ofSeconds(granted.number(3)), request.node()), events));
    }

    private CompletableFuture<BackendSession> enroll(Lease lease, SessionEvents events) {
        String era = place.keys().era();
        StoreEra fresh = EraRecord.fresh(place.host());
        Message guard = Txn.put(place.keys().session(lease.id()), lease.text(), lease.id());
        Txn txn = new Txn()
                .ifCreated(era, 0)
                .then(Txn.put(era, EraRecord.text(fresh)), guard)
                .otherwise(Txn.get(era), guard);
        return place.gateway().txn(txn).thenApply(reply -> {
            long revision = reply.revision();
            Standpoint at = new Standpoint(fresh, revision, revision);
            if (!reply.succeeded()) {
                KeyValue stored = reply.part(0).first().orElseThrow();
                at = new Standpoint(stored.era(), stored.modRevision(), revision);
            }
            EtcdSession session = new EtcdSession(place, lease, at, reply.moment(), events);
            place.notices().join(session);
            return session;
        });
    }

    /** Both questions travel together. A server that answers but tells neither is used all the same. */
    private CompletableFuture<Boolean> learnCluster() {
        CompletableFuture<Optional<ServerVersion>> answered = place.gateway()
                .call(Method.STATUS, Message.EMPTY)
                .thenApply(status -> ServerVersion.parse(status.text(2)))
                .exceptionallyCompose(failure -> Stages.rootOf(failure) instanceof Trouble
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(failure));
        CompletableFuture<Integer> members = place.gateway()
                .call(Method.MEMBER_LIST, Message.EMPTY)
                .thenApply(EtcdBackend::voters)
                .exceptionally(refused -> 0);
        return answered.thenCombine(members, (found, count) -> {
            clusterAsked = true;
            found.filter(known -> !version.equals(Optional.of(known))).ifPresent(this::learned);
            learned(count);
            return true;
        });
    }

    private void learned(ServerVersion known) {
        version = Optional.of(known);
        String weakness = known.weakness();
        traits = traits("etcd " + known + " at " + shown, weakness)
                .change()
                .members(traits.members())
                .build();
        if (!weakness.isEmpty()) {
            LOG.log(Level.WARNING, "grade B instead of A: {0}", weakness);
        }
    }

    /** A learner has no vote. */
    private static int voters(Message reply) {
        return (int) reply.list(2).stream().filter(member -> !member.flag(5)).count();
    }

    private void learned(int members) {
        if (members > 0 && members != traits.members()) {
            traits = traits.change().members(members).build();
            if (!traits.survival().isEmpty()) {
                LOG.log(Level.INFO, "{0}: {1}", traits.store(), traits.survival());
            }
        }
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return knowingTheCluster(() -> looks.read(election));
    }

    /** A process that only looks shows the traits too. */
    private <T> CompletionStage<T> knowingTheCluster(Supplier<CompletionStage<T>> look) {
        try {
            return clusterAsked ? look.get() : learnCluster().thenCompose(known -> look.get());
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return knowingTheCluster(looks::list);
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return place.notices().watch(changed);
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        Message put = Txn.put(place.keys().request(request.election()), RequestRecord.text(request));
        return place.gateway().txn(new Txn().then(put)).thenApply(reply -> null);
    }

    @Override
    public CompletableFuture<StoreEra> era() {
        StoreEra fresh = EraRecord.fresh(place.host());
        String key = place.keys().era();
        Txn txn = new Txn()
                .ifCreated(key, 0)
                .then(Txn.put(key, EraRecord.text(fresh)))
                .otherwise(Txn.get(key));
        return place.gateway()
                .txn(txn)
                .thenApply(reply -> reply.succeeded()
                        ? fresh
                        : reply.part(0).first().orElseThrow().era());
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return EraRecord.raise(atLeast, this::era, now -> now, this::replace);
    }

    private CompletableFuture<Boolean> replace(StoreEra now, StoreEra raised) {
        String key = place.keys().era();
        Txn txn = new Txn().ifValue(key, EraRecord.text(now)).then(Txn.put(key, EraRecord.text(raised)));
        return place.gateway().txn(txn).thenApply(TxnReply::succeeded);
    }

    @Override
    public void close() {
        place.notices().close();
        place.gateway().close();
    }
}
