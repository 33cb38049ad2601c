package dev.tenure.kubernetes;

import dev.tenure.kubernetes.client.LeaseApi;
import dev.tenure.kubernetes.client.LeaseWatcher;
import dev.tenure.kubernetes.lease.ElectionLease;
import dev.tenure.kubernetes.lease.LeaseNames;
import dev.tenure.kubernetes.lease.RecordLease;
import dev.tenure.kubernetes.lease.RecordLease.Mode;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * {@code sessions=on}: each record is a Lease. One of them is renewed for all elections of a process. A version is a resource version, which no write
 * of the cluster has twice, together with the UID: a Lease that is replaced with a version alone would be made anew if it was deleted. The
 * token of a claim is its resource version.
 */
final class SessionsStore implements TokenIssuer {
    private final LeaseApi api;
    private final Host host;
    private final Mode mode;
    private final WatchRegistry<KeyWatcher> watchers = new WatchRegistry<>();
    private final AtomicLong writes = new AtomicLong();
    private volatile Duration silence = Duration.ofSeconds(15);
    private Optional<LeaseWatcher> watching = Optional.empty();
    private Optional<CompletableFuture<Versioned>> checkedMode = Optional.empty();

    /** @param mode that its namespace is used in; with Leases of elections there is only the era in it */
    SessionsStore(LeaseApi api, Host host, Mode mode) {
        this.api = api;
        this.host = host;
        this.mode = mode;
    }

    @Override
    public BackendTraits traits() {
        return KubernetesBackend.traits(api).build();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return find(key).thenApply(found -> record(key, found));
    }

    private CompletableFuture<Optional<Lease>> find(String key) {
        return api.get(LeaseNames.ofKey(key));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return modeChecked()
                .thenCompose(era -> api.list("labelSelector=" + RecordLease.KIND + "=" + prefix.charAt(0)))
                .thenApply(found -> found.getItems().stream()
                        .filter(lease -> RecordLease.key(lease).startsWith(prefix))
                        .map(lease -> record(RecordLease.key(lease), Optional.of(lease)))
                        .toList());
    }

    /** Whoever only looks would see nothing in a namespace that is used in the other mode. */
    private synchronized CompletableFuture<Versioned> modeChecked() {
        if (checkedMode.filter(asked -> !asked.isCompletedExceptionally()).isEmpty()) {
            checkedMode = Optional.of(find(EraRecord.KEY).thenApply(found -> record(EraRecord.KEY, found)));
        }
        return checkedMode.get();
    }

    private Versioned record(String key, Optional<Lease> found) {
        long clockMillis = host.wallMillis();
        return found.map(lease -> new Versioned(
                        key,
                        Optional.of(lease.getMetadata().getResourceVersion() + "/"
                                + lease.getMetadata().getUid()),
                        RecordLease.value(lease, key, mode),
                        Optional.empty(),
                        clockMillis))
                .orElseGet(() -> Versioned.absent(key, clockMillis));
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        write.timeToLive().ifPresent(ttl -> {
            silence = ttl.compareTo(silence) < 0 ? ttl : silence;
            api.answerWithin(ttl);
        });
        Optional<Lease> before = write.expected().version().map(version -> shell(write.key(), version));
        Lease next = RecordLease.written(
                before,
                write.key(),
                write.value(),
                mode,
                ElectionLease.time(host.wallMillis(), writes.getAndIncrement() % 1000));
        CompletableFuture<Optional<Lease>> written = before.isPresent() ? api.replace(next) : api.create(next);
        return written.thenCompose(done -> done.isPresent()
                ? CompletableFuture.completedFuture(new WriteReply.Applied(record(write.key(), done)))
                : refused(write.key()));
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        if (!expected.isPresent()) {
            return refused(expected.key());
        }
        return api.delete(shell(expected.key(), expected.version().get()))
                .thenCompose(deleted -> deleted
                        ? CompletableFuture.completedFuture(
                                new WriteReply.Applied(Versioned.absent(expected.key(), host.wallMillis())))
                        : refused(expected.key()));
    }

    private CompletableFuture<WriteReply> refused(String key) {
        return find(key).thenApply(found -> new WriteReply.Refused(record(key, found)));
    }

    /** What has to be known of a Lease to replace it. */
    private static Lease shell(String key, String version) {
        int slash = version.indexOf('/');
        return new LeaseBuilder()
                .withMetadata(new ObjectMetaBuilder()
                        .withName(LeaseNames.ofKey(key))
                        .withResourceVersion(version.substring(0, slash))
                        .withUid(version.substring(slash + 1))
                        .build())
                .withNewSpec()
                .endSpec()
                .build();
    }

    @Override
    public long tokenOf(Versioned written) {
        String version = written.version().orElseThrow();
        return ElectionLease.versionNumber(version.substring(0, version.indexOf('/')));
    }

    @Override
    public synchronized Watch watch(String prefix, Consumer<String> changedKey) {
        if (watching.isEmpty()) {
            watching = Optional.of(
                    new LeaseWatcher(api, host, "labelSelector=" + RecordLease.KIND, silence, new Told()).start());
        }
        return watchers.add(new KeyWatcher(prefix, changedKey));
    }

    private final class Told implements LeaseWatcher.Listener {
        @Override
        public void listed(List<Lease> all) {
            watchers.tell(KeyWatcher::anyChanged);
        }

        @Override
        public void changed(Lease lease, boolean deleted) {
            watchers.tell(watcher -> watcher.changed(RecordLease.key(lease)));
        }

        @Override
        public void failed(BackendException why) {
            // Reads tell it, and candidates poll meanwhile.
        }
    }

    @Override
    public synchronized void close() {
        watchers.close();
        watching.ifPresent(LeaseWatcher::close);
        api.close();
    }
}
