package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Grade;
import dev.tenure.Nonce;
import dev.tenure.Scope;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.MessageWriter;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
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
    private static final int ATTEMPTS_MAX = 5;

    private final Place place;
    private final Looks looks;
    private final String shown;
    private volatile BackendTraits traits;
    private Optional<ServerVersion> version = Optional.empty();
    private boolean versionAsked;

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
        return new BackendTraits(
                store,
                weakness.isEmpty() ? Grade.A : Grade.B,
                weakness,
                Scope.CLUSTER,
                TTL_MIN,
                TTL_MAX,
                TTL_STEP,
                BackendTraits.ExpiryJudge.SERVER_TTL,
                BackendTraits.TokenSource.REVISION,
                BackendTraits.Wakeup.QUEUE);
    }

    /** The grade is A until the server has told its version, with the first session and the first look. */
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
        return learnVersion()
                .thenCompose(known -> place.gateway()
                        .call(
                                Method.GRANT_LEASE,
                                new MessageWriter().number(1, seconds).done()))
                .thenCompose(granted -> enroll(
                        new Lease(granted.number(2), Duration.ofSeconds(granted.number(3)), request.node()), events));
    }

    private CompletableFuture<BackendSession> enroll(Lease lease, SessionEvents events) {
        String era = place.keys().era();
        StoreEra fresh = freshEra();
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
                at = new Standpoint(EraRecord.of(stored), stored.modRevision(), revision);
            }
            EtcdSession session = new EtcdSession(place, lease, at, reply.moment(), events);
            place.notices().join(session);
            return session;
        });
    }

    /** A server that answers but does not tell its version is used all the same. */
    private CompletableFuture<Optional<ServerVersion>> learnVersion() {
        return place.gateway()
                .call(Method.STATUS, Message.EMPTY)
                .thenApply(status -> ServerVersion.parse(status.text(2)))
                .exceptionallyCompose(failure -> Trouble.rootOf(failure) instanceof Trouble
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(failure))
                .thenApply(found -> {
                    versionAsked = true;
                    found.filter(known -> !version.equals(Optional.of(known))).ifPresent(this::learned);
                    return found;
                });
    }

    private void learned(ServerVersion known) {
        version = Optional.of(known);
        String weakness = known.weakness();
        traits = traits("etcd " + known + " at " + shown, weakness);
        if (!weakness.isEmpty()) {
            LOG.log(Level.WARNING, "grade B instead of A: {0}", weakness);
        }
    }

    private StoreEra freshEra() {
        return new StoreEra(new Nonce(place.host().random(), place.host().random()).toString(), 0);
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return knowingTheVersion(() -> looks.read(election));
    }

    /** Who only looks shows the grade too. */
    private <T> CompletionStage<T> knowingTheVersion(Supplier<CompletionStage<T>> look) {
        try {
            return versionAsked ? look.get() : learnVersion().thenCompose(known -> look.get());
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return knowingTheVersion(looks::list);
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
        StoreEra fresh = freshEra();
        String key = place.keys().era();
        Txn txn = new Txn()
                .ifCreated(key, 0)
                .then(Txn.put(key, EraRecord.text(fresh)))
                .otherwise(Txn.get(key));
        return place.gateway()
                .txn(txn)
                .thenApply(reply -> reply.succeeded()
                        ? fresh
                        : EraRecord.of(reply.part(0).first().orElseThrow()));
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        if (atLeast < 0 || atLeast > FencingToken.ERA_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("era " + atLeast + " is outside 0.." + FencingToken.ERA_MAX));
        }
        return raise(atLeast, ATTEMPTS_MAX);
    }

    private CompletableFuture<StoreEra> raise(int atLeast, int attempts) {
        return era().thenCompose(now -> {
            if (now.era() >= atLeast) {
                return CompletableFuture.completedFuture(now);
            }
            StoreEra raised = new StoreEra(now.storeId(), atLeast);
            String key = place.keys().era();
            Txn txn = new Txn().ifValue(key, EraRecord.text(now)).then(Txn.put(key, EraRecord.text(raised)));
            return place.gateway().txn(txn).thenCompose(reply -> {
                if (reply.succeeded()) {
                    return CompletableFuture.completedFuture(raised);
                }
                if (attempts > 1) {
                    return raise(atLeast, attempts - 1);
                }
                throw new BackendException(
                        Effect.NONE, Kind.UNREACHABLE, "the era is being changed by others all the time; try again");
            });
        });
    }

    @Override
    public void close() {
        place.notices().close();
        place.gateway().close();
    }
}
