// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.TenureListener;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.internal.lease.LeaseBackend;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ChangeTracker;
import dev.tenure.spi.ExternalTokens;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.RenewalReader;
import dev.tenure.spi.StoreBinding;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Watch;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one test of a backend needs: a namespace of its own, and any number of processes in it, each with a host of its own.
 * They come in two kinds: {@link RawClient} speaks to the session door and knows no engine, {@link Tenure} is what users
 * have. Closed after the test.
 */
final class ElectionFixture implements AutoCloseable {
    /** How the backend under test is reached. */
    @FunctionalInterface
    interface Connector {
        StoreBinding connect(String namespace, Host host) throws Exception;
    }

    private final String namespace = TestScale.freshNamespace();
    private final Connector connector;
    private final Supplier<Duration> wantedTtl;
    private final Function<String, Optional<String>> urlOf;
    private final DutyLog dutyLog = new DutyLog();
    private final List<Tenure> tenures = new ArrayList<>();
    private final List<RawClient> clients = new ArrayList<>();
    private final LongAccumulator slowestRenewalNanos = new LongAccumulator(Math::max, 0);
    private @Nullable BackendTraits traits;

    ElectionFixture(Connector connector, Supplier<Duration> wantedTtl, Function<String, Optional<String>> urlOf) {
        this.connector = connector;
        this.wantedTtl = wantedTtl;
        this.urlOf = urlOf;
    }

    String namespace() {
        return namespace;
    }

    /** The namespace of this test as a URL, if the backend has one. */
    Optional<String> url() {
        return urlOf.apply(namespace);
    }

    /** Where the duties of this test are noted. */
    DutyLog dutyLog() {
        return dutyLog;
    }

    /** Waits for the next run of a duty by somebody. */
    DutyLog.Entry awaitRunning() {
        await().until("a duty runs", () -> dutyLog.running().isPresent());
        return dutyLog.running().orElseThrow();
    }

    /** Waits for the next run with a token above this one. */
    DutyLog.Entry awaitAfter(DutyLog.Entry before) {
        await().until("a later term", () -> dutyLog.latest().token().isNewerThan(before.token()));
        return dutyLog.latest();
    }

    BackendTraits traits() {
        BackendTraits known = traits;
        return known != null ? known : client().backend().traits();
    }

    /** The TTL that every client of this test asks for. */
    Duration ttl() {
        return TestScale.ttl(wantedTtl.get(), traits());
    }

    Await await() {
        return Await.forTtl(ttl());
    }

    /** Tells that a renewal was answered, and when it was sent. */
    void renewed(long sentNanos) {
        slowestRenewalNanos.accumulate(System.nanoTime() - sentNanos);
    }

    /**
     * The same, as an engine tells it. It gives a renewal up after a short time and sends the next one: what counts is how long the store
     * has answered none of them.
     */
    private static final class UnansweredRenewals implements TenureListener {
        private final ElectionFixture lab;
        private OptionalLong sinceNanos = OptionalLong.empty();

        UnansweredRenewals(ElectionFixture lab) {
            this.lab = lab;
        }

        @Override
        public void on(TenureEvent event) {
            if (event instanceof TenureEvent.StoreCalled call
                    && call.operation().equals("renew")) {
                long sentNanos = System.nanoTime() - call.took().toNanos();
                lab.renewed(sinceNanos.orElse(sentNanos));
                boolean answered = call.outcome() != TenureEvent.StoreCalled.Outcome.UNKNOWN;
                sinceNanos = answered ? OptionalLong.empty() : OptionalLong.of(sinceNanos.orElse(sentNanos));
            }
        }
    }

    /** How long the store took at most to answer a renewal, where the case itself does not keep it from answering. */
    Duration slowestRenewal() {
        return Duration.ofNanos(slowestRenewalNanos.get());
    }

    /** Another process, at the session door. */
    RawClient client() {
        return client(SystemHost.start("contract"));
    }

    RawClient client(Host host) {
        return client(connect(host), host);
    }

    private RawClient client(Backend backend, Host host) {
        RawClient client = new RawClient(this, backend, host);
        clients.add(client);
        return client;
    }

    /** What a case changes of the answers of a store. */
    @FunctionalInterface
    interface Change {
        /** @param call the name of the method, and the first of its arguments */
        CompletionStage<?> of(CompletionStage<?> answer, String call, Object about);
    }

    /** A store under test, that keeps records and no sessions; the case is skipped if it is none. */
    LeaseStore store(Host host) {
        StoreBinding storeBinding = open(host);
        assumeTrue(storeBinding instanceof LeaseStore, "this backend declares sessions of its own");
        return (LeaseStore) storeBinding;
    }

    /** A process whose store answers otherwise. */
    RawClient client(Change change) {
        Host host = SystemHost.start("contract");
        LeaseStore store = store(host);
        Class<?> kind = store instanceof TokenIssuer ? TokenIssuer.class : LeaseStore.class;
        LeaseStore altered = (LeaseStore) Proxy.newProxyInstance(
                kind.getClassLoader(), new Class<?>[] {kind}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(store, arguments);
                    return answer instanceof CompletionStage<?> stage
                            ? change.of(stage, method.getName(), arguments[0])
                            : answer;
                });
        return client(new LeaseBackend(altered, host), host);
    }

    /** Another process, as users have it. */
    Tenure tenure(String node) {
        return tenure(node, Optional.empty());
    }

    /** The same, with a link to its store that can be cut. */
    Tenure tenure(String node, BackendLink link) {
        return tenure(node, Optional.of(link));
    }

    private Tenure tenure(String node, Optional<BackendLink> link) {
        ttl();
        Host host = SystemHost.start("contract");
        Backend backend = connect(host);
        Tenure tenure =
                open(link.<StoreBinding>map(faulty -> faulty.to(backend)).orElse(backend), host, node);
        if (link.isEmpty()) {
            tenure.onEveryEvent(new UnansweredRenewals(this));
        }
        return tenure;
    }

    private Tenure open(StoreBinding storeBinding, Host host, String node) {
        Tenure tenure = Tenure.using(storeBinding)
                .host(host)
                .node(node)
                .ttl(ttl())
                .acknowledgeBestEffort()
                .open();
        tenures.add(tenure);
        return tenure;
    }

    /** A process whose store never notifies it, although it says so. */
    Tenure deafTenure(String node) {
        Host host = SystemHost.start("contract");
        LeaseStore store = store(host);
        Class<?>[] kinds = Stream.of(
                        LeaseStore.class,
                        TokenIssuer.class,
                        ExternalTokens.class,
                        ChangeTracker.class,
                        RenewalReader.class)
                .filter(kind -> kind.isInstance(store))
                .toArray(Class<?>[]::new);
        Watch none = () -> {};
        StoreBinding deaf = (StoreBinding) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                kinds,
                (proxy, method, arguments) ->
                        method.getName().equals("watch") ? none : method.invoke(store, arguments));
        return open(deaf, host, node);
    }

    /** Another process that finds its backend by itself. */
    Tenure tenureAt(String url, String node) {
        Tenure tenure = Tenure.connect(url)
                .node(node)
                .ttl(ttl())
                .acknowledgeBestEffort()
                .open();
        tenures.add(tenure);
        return tenure;
    }

    private StoreBinding open(Host host) {
        try {
            StoreBinding storeBinding = connector.connect(namespace, host);
            traits = storeBinding.traits();
            return storeBinding;
        } catch (Exception failure) {
            throw new AssertionError("the backend under test cannot be reached: " + failure, failure);
        }
    }

    private Backend connect(Host host) {
        StoreBinding storeBinding = open(host);
        return storeBinding instanceof LeaseStore store ? new LeaseBackend(store, host) : (Backend) storeBinding;
    }

    @Override
    public void close() {
        tenures.forEach(Tenure::close);
        clients.forEach(RawClient::close);
    }
}
