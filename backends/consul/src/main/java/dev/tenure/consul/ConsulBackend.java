// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.Backend;
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
import dev.tenure.spi.support.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Elections in Consul 1.7 or newer. A session of Consul is a session, a claim is a lock that it holds on the key of the
 * election, and the index of the transaction that took the lock is the token. Any thread.
 */
public final class ConsulBackend implements Backend {
    private static final Duration TTL_MIN = Duration.ofSeconds(1);
    private static final Duration TTL_MAX = Duration.ofDays(1);
    private static final Duration LOCK_DELAY_MAX = Duration.ofSeconds(60);
    private static final Pattern TOO_OLD = Pattern.compile("(0|1\\.[0-6])\\..*");

    private final ConsulSettings settings;
    private final ConsulClient client;
    private final KeyWatch watch;
    private final Host host;
    private final KeyLayout keys;
    private volatile BackendTraits traits;

    private ConsulBackend(ConsulSettings settings, Host host) {
        this.settings = settings;
        this.client = new ConsulClient(settings, Optional.of(host));
        this.host = host;
        this.keys = settings.keys();
        this.watch = new KeyWatch(client, host, keys);
        this.traits = traits("Consul", 0);
    }

    /** Connects when something is asked of it. */
    public static ConsulBackend connect(String url, Host host) {
        return connect(BackendUrl.parse(url), host);
    }

    static ConsulBackend connect(BackendUrl url, Host host) {
        return new ConsulBackend(ConsulSettings.of(url), host);
    }

    private BackendTraits traits(String version, int members) {
        String bound = settings.standoff() ? "3 × TTL, of which one is a lock-delay" : "2 × TTL";
        return BackendTraits.of(
                        version + " at " + settings.url() + ", a silent leader is replaced after at most " + bound)
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(TTL_MIN, TTL_MAX)
                .expiry(BackendTraits.ExpiryDetection.SERVER_TTL)
                .tokens(BackendTraits.TokenSource.REVISION)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .members(members)
                .build();
    }

    /** Version and members are known once a server was asked. */
    @Override
    public BackendTraits traits() {
        return traits;
    }

    private <T> CompletableFuture<T> knowingTheCluster(Supplier<CompletableFuture<T>> then) {
        if (traits.members() > 0) {
            return then.get();
        }
        return client.peers()
                .thenCombine(client.version(), (members, version) -> {
                    Matcher old = TOO_OLD.matcher(version.orElse(""));
                    if (old.matches()) {
                        throw StoreUrl.refused("Consul " + version.get() + " at " + settings.url()
                                + " ends sessions with the health of a node: upgrade to 1.7 or newer");
                    }
                    traits = traits(version.map(known -> "Consul " + known).orElse("Consul"), members);
                    return members;
                })
                .thenCompose(known -> then.get());
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        boolean delayed = settings.standoff();
        Duration longest = request.ttl().compareTo(LOCK_DELAY_MAX) < 0 ? request.ttl() : LOCK_DELAY_MAX;
        Duration lockDelay = delayed ? longest : Duration.ZERO;
        CompletableFuture<BackendSession> opened = new CompletableFuture<>();
        CompletableFuture<ConsulSession> made = knowingTheCluster(this::guard)
                .thenCompose(guard -> client.createSession(request.node(), request.ttl(), lockDelay)
                        .thenApply(id -> new ConsulSession(
                                new ConsulSession.Store(client, watch, host, keys, this::guard),
                                new ConsulSession.Lease(id, request.ttl(), lockDelay),
                                guard,
                                events)));
        Stages.follow(
                made,
                session -> host.post(() -> {
                    watch.join(session);
                    opened.complete(session);
                }),
                opened::completeExceptionally);
        return opened;
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return knowingTheCluster(
                        () -> client.txn(List.of(KeyLayout.tree(keys.folder(election)), KeyLayout.tree(keys.era()))))
                .thenApply(found -> observe(election, found.byKey()));
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return knowingTheCluster(() -> client.txn(List.of(KeyLayout.tree(keys.prefix() + "/"))))
                .thenApply(found -> {
                    Map<String, KeyValueEntry> entries = found.byKey();
                    return entries.keySet().stream()
                            .flatMap(key -> keys.electionOf(key).stream())
                            .distinct()
                            .map(election -> observe(election, entries))
                            .toList();
                });
    }

    private Observation observe(ElectionName election, Map<String, KeyValueEntry> entries) {
        return ElectionKeys.of(keys, election, entries).observation(eraIn(entries));
    }

    private int eraIn(Map<String, KeyValueEntry> entries) {
        return Optional.ofNullable(entries.get(keys.era()))
                .map(entry -> era(entry).era())
                .orElse(0);
    }

    private static StoreEra era(KeyValueEntry entry) {
        return EraRecord.of("key " + entry.key(), entry.value());
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return watch.watch(changed);
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return client.txn(List.of(KeyLayout.set(keys.request(request.election()), RequestRecord.text(request), 0)))
                .thenApply(done -> null);
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return knowingTheCluster(this::guard).thenApply(ConsulSession.Guard::era);
    }

    /** The era with the index of its key, which every claim expects. Created at the first use. */
    private CompletableFuture<ConsulSession.Guard> guard() {
        return client.txn(List.of(KeyLayout.tree(keys.era()))).thenCompose(found -> {
            Optional<KeyValueEntry> entry = Optional.ofNullable(found.byKey().get(keys.era()));
            if (entry.isPresent()) {
                return CompletableFuture.completedFuture(
                        new ConsulSession.Guard(era(entry.get()), entry.get().index()));
            }
            String fresh = EraRecord.text(EraRecord.fresh(host));
            return client.txn(List.of(KeyLayout.unchanged(keys.era(), entry), KeyLayout.set(keys.era(), fresh, 0)))
                    .thenCompose(made -> guard());
        });
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return EraRecord.raise(
                atLeast,
                this::guard,
                ConsulSession.Guard::era,
                (now, raised) -> client.txn(List.of(
                                KeyLayout.unchanged(keys.era(), now.index()),
                                KeyLayout.set(keys.era(), EraRecord.text(raised), 0)))
                        .thenApply(ConsulClient.TxnReply::applied));
    }

    @Override
    public void close() {
        watch.close();
        client.close();
    }
}
