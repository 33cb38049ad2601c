// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ChangeTracker;
import dev.tenure.spi.Host;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Records in annotations of Leases: with {@code sessions=on} all that elections need, otherwise the era alone. The five fields only keep other
 * electors away that stand under such a name by mistake: it is held, practically for ever.
 *
 * <p>A version is a resource version, which no two writes of a cluster share, and the UID: with a resource version alone, a Lease that was deleted
 * would be made anew. The token of a claim is its resource version. Any thread.
 */
final class RecordLeases implements TokenIssuer, ChangeTracker {
    private static final String KIND = "tenure.dev/kind";
    private static final String KEY = "tenure.dev/key";
    private static final String VALUE = "tenure.dev/record";
    private static final String SESSIONS = "tenure.dev/sessions";

    private final LeaseApi api;
    private final Host host;
    private final String sessions;
    private final WatchRegistry<KeyWatcher> watchers = new WatchRegistry<>();
    private volatile Duration silence = Duration.ofSeconds(15);
    private volatile boolean modeIsRight;
    private Optional<LeaseWatcher> watching = Optional.empty();

    RecordLeases(LeaseApi api, Host host) {
        this.api = api;
        this.host = host;
        this.sessions = api.settings().sessions() ? "on" : "off";
    }

    @Override
    public BackendTraits traits() {
        return KubernetesBackend.traits(api).build();
    }

    // ---- what is read

    @Override
    public CompletableFuture<Versioned> read(String key) {
        return inRightMode(key).thenCompose(right -> find(key));
    }

    private CompletableFuture<Versioned> find(String key) {
        return api.get(LeaseNames.ofKey(key))
                .thenApply(found -> found.map(lease -> record(key, lease))
                        .orElseGet(() -> Versioned.absent(key, host.wallMillis())));
    }

    @Override
    public CompletableFuture<List<Versioned>> list(String prefix) {
        return inRightMode(prefix)
                .thenCompose(right -> api.list("labelSelector=" + KIND + "=" + prefix.charAt(0)))
                .thenApply(found -> found.getItems().stream()
                        .filter(lease -> key(lease).startsWith(prefix))
                        .map(lease -> record(key(lease), lease))
                        .toList());
    }

    /** A process that only looks reads no era. Where the namespace is used in the other mode it would see that nobody leads. */
    private CompletableFuture<?> inRightMode(String key) {
        return modeIsRight || key.equals(EraRecord.KEY)
                ? CompletableFuture.completedFuture(null)
                : find(EraRecord.KEY).thenAccept(era -> modeIsRight = era.isPresent());
    }

    private static String key(Lease lease) {
        return ElectionLease.annotation(lease, KEY);
    }

    private Versioned record(String key, Lease lease) {
        if (!key(lease).equals(key)) {
            throw BackendException.corrupt("Lease " + lease.getMetadata().getName() + " is not of record '" + key
                    + "' but of '" + key(lease) + "'");
        }
        String used = ElectionLease.annotation(lease, SESSIONS);
        if (!used.equals(sessions)) {
            String namespace = api.settings().namespace();
            throw BackendException.misconfigured("namespace " + namespace + " is used with sessions=" + used
                    + ", and this URL says sessions=" + sessions
                    + ": use it alike in every URL, or take another namespace. To switch, stop every candidate, then:"
                    + " kubectl annotate --overwrite --namespace " + namespace + " lease " + LeaseNames.ERA + " "
                    + SESSIONS + "=" + sessions);
        }
        String version = lease.getMetadata().getResourceVersion();
        ElectionLease.versionNumber(version); // refused now, and not at the first claim
        return new Versioned(
                key,
                Optional.of(version + "/" + lease.getMetadata().getUid()),
                ElectionLease.annotation(lease, VALUE),
                Optional.empty(),
                host.wallMillis());
    }

    @Override
    public long tokenOf(Versioned written) {
        return ElectionLease.versionNumber(version(written));
    }

    private static String version(Versioned record) {
        return record.version().orElseThrow().replaceFirst("/.*", "");
    }

    // ---- what is written

    @Override
    public CompletableFuture<WriteReply> compareAndSet(Write write) {
        write.timeToLive().ifPresent(ttl -> {
            silence = ttl.compareTo(silence) < 0 ? ttl : silence;
            api.answerWithin(ttl);
        });
        Versioned expected = write.expected();
        Lease next = lease(expected, write.value());
        return (expected.isPresent() ? api.replace(next) : api.create(next))
                .thenCompose(written -> written.map(lease -> CompletableFuture.<WriteReply>completedFuture(
                                new WriteReply.Applied(ApiErrors.ofWritten(() -> record(write.key(), lease)))))
                        .orElseGet(() -> refused(write.key())));
    }

    @Override
    public CompletableFuture<WriteReply> delete(Versioned expected) {
        if (!expected.isPresent()) {
            return refused(expected.key());
        }
        return api.delete(lease(expected, ""))
                .thenCompose(deleted -> deleted
                        ? CompletableFuture.completedFuture(
                                new WriteReply.Applied(Versioned.absent(expected.key(), host.wallMillis())))
                        : refused(expected.key()));
    }

    private CompletableFuture<WriteReply> refused(String key) {
        return find(key).thenApply(WriteReply.Refused::new);
    }

    /** Of the version that is expected, which the server compares. */
    private Lease lease(Versioned expected, String value) {
        ZonedDateTime now = api.now();
        LeaseBuilder lease = new LeaseBuilder()
                .withNewMetadata()
                .withName(LeaseNames.ofKey(expected.key()))
                .addToLabels(KIND, expected.key().substring(0, 1))
                .addToAnnotations(KEY, expected.key())
                .addToAnnotations(VALUE, value)
                .addToAnnotations(SESSIONS, sessions)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("tenure")
                .withLeaseDurationSeconds(Integer.MAX_VALUE)
                .withAcquireTime(now)
                .withRenewTime(now)
                .withLeaseTransitions(0)
                .endSpec();
        expected.version()
                .ifPresent(version -> lease.editMetadata()
                        .withResourceVersion(version(expected))
                        .withUid(version.substring(version.indexOf('/') + 1))
                        .endMetadata());
        return lease.build();
    }

    // ---- what has changed

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        host.post(() -> {
            if (watching.isEmpty()) {
                watching = Optional.of(
                        new LeaseWatcher(api, host, "labelSelector=" + KIND, silence, new Listener()).start());
            }
        });
        return watchers.add(new KeyWatcher(prefix, changedKey));
    }

    private final class Listener implements LeaseWatcher.Listener {
        @Override
        public void listed(List<Lease> all) {
            watchers.publish(KeyWatcher::anyChanged);
        }

        @Override
        public void changed(Lease lease, boolean deleted) {
            watchers.publish(watcher -> watcher.changed(key(lease)));
        }
    }

    @Override
    public CompletableFuture<Changes> changedSince(Optional<String> mark) {
        return api.list("labelSelector=" + KIND + "," + KIND + "!=s").thenApply(found -> {
            String now = found.getMetadata().getResourceVersion();
            long since = mark.map(Long::parseLong).orElse(Long.MAX_VALUE);
            Optional<List<String>> keys = Optional.of(found.getItems().stream()
                    .filter(lease ->
                            ElectionLease.versionNumber(lease.getMetadata().getResourceVersion()) > since)
                    .map(RecordLeases::key)
                    .toList());
            return new Changes(
                    now,
                    keys.filter(known -> since <= ElectionLease.versionNumber(now))); // a restore takes versions back
        });
    }

    @Override
    public void close() {
        watchers.close();
        host.post(() -> watching.ifPresent(LeaseWatcher::close));
        api.close();
    }
}
