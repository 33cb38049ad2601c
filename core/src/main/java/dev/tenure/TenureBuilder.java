// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.internal.lease.LeaseBackend;
import dev.tenure.internal.runtime.StoreRequirement;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Redactor;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How a client is opened. Settings in the URL are defaults; what is set here wins. */
public final class TenureBuilder {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final Function<Host, StoreBinding> binding;
    private final Redactor redactor;
    private Optional<Host> host = Optional.empty();
    private Optional<String> node = Optional.empty();
    private Optional<String> usualNode = Optional.empty();
    private Duration ttl = TTL;
    private boolean standoff;
    private boolean bestEffort;
    private StoreRequirement requirement = new StoreRequirement(Grade.D, Scope.USER);
    private int callbackThreadsMax = SystemHost.CALLBACK_THREADS_MAX;

    private TenureBuilder(Function<Host, StoreBinding> storeBinding, Redactor redactor) {
        this.binding = storeBinding;
        this.redactor = redactor;
    }

    static TenureBuilder using(Function<Host, ? extends StoreBinding> storeBinding) {
        return new TenureBuilder(storeBinding::apply, Redactor.withoutKnown());
    }

    static TenureBuilder connect(String text) {
        Redactor redactor = Redactor.of(text);
        try {
            return connect(BackendUrl.parse(text), redactor);
        } catch (IllegalArgumentException refused) {
            throw redactor.failure(refused);
        }
    }

    private static TenureBuilder connect(BackendUrl url, Redactor redactor) {
        BackendProvider provider = BackendProvider.of(url);
        String ours = provider.optionPrefix();
        Set<String> common = BackendUrl.COMMON_OPTIONS.stream()
                .filter(name -> !provider.sharedOptions().contains(name))
                .map(ours::concat)
                .collect(Collectors.toSet());
        TenureBuilder builder = new TenureBuilder(host -> provider.connect(url.without(common), host), redactor);
        builder.ttl(url.duration(ours + "ttl").orElseGet(() -> provider.usualTtl(url)));
        url.option(ours + "node").ifPresent(builder::node);
        builder.usualNode = provider.usualNode(url);
        url.option(ours + "standoff").ifPresent(value -> builder.standoff(onOff(value)));
        return builder;
    }

    private static boolean onOff(String value) {
        if (!value.equals("on") && !value.equals("off")) {
            throw new IllegalArgumentException("standoff '" + value + "' must be on or off");
        }
        return value.equals("on");
    }

    /** How long this process may be silent before others take over; unless set, 10 s or what is usual with the store. */
    public TenureBuilder ttl(Duration ttl) {
        this.ttl = Objects.requireNonNull(ttl, "ttl is null: say how long this process may be silent");
        return this;
    }

    /** The TTL that will be asked for, as things stand. */
    public Duration ttl() {
        return ttl;
    }

    /** What operators call this process. The default is its name in the URL, else host, process id and a random part. */
    public TenureBuilder node(String id) {
        Objects.requireNonNull(id, "node is null: name this process, or leave node(…) out");
        this.node = Optional.of(NodeName.check(id));
        return this;
    }

    /**
     * After an unclean end of its predecessor, a new leader waits until that one's deadline has surely passed. Slower, but
     * beliefs do not overlap even where a store ended a lease early.
     */
    public TenureBuilder standoff(boolean on) {
        this.standoff = on;
        return this;
    }

    /**
     * Refuses a backend that promises less. Where only the store itself can show it (by its version, say), no session begins on
     * it, and {@code StoreError} reports why.
     */
    public TenureBuilder requireGrade(Grade grade) {
        Objects.requireNonNull(grade, "grade is null: name the least that will do");
        this.requirement = new StoreRequirement(grade, requirement.scopeMin());
        return this;
    }

    /** Refuses to open on a backend whose exclusion reaches less far. */
    public TenureBuilder requireScope(Scope scope) {
        Objects.requireNonNull(scope, "scope is null: name the least that will do");
        this.requirement = new StoreRequirement(requirement.gradeMin(), scope);
        return this;
    }

    /** I know that a grade D backend can have two leaders, and I have no fence. */
    public TenureBuilder acknowledgeBestEffort() {
        this.bestEffort = true;
        return this;
    }

    /**
     * How many callbacks may run at once; 256 unless set. That many for {@code activate}, {@code warmUp} and listeners, and as
     * many again for {@code deactivate}, {@code onLoss} and interrupts. Threads are made when they are needed. A callback that hangs keeps one
     * of them. When all are taken, further callbacks wait: services are then notified late that their term has ended, and authority
     * ends in time all the same.
     */
    public TenureBuilder callbackThreadsMax(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("callbackThreadsMax " + threads + " must be at least 1");
        }
        this.callbackThreadsMax = threads;
        return this;
    }

    /** Time, threads and chance from elsewhere: for tests. */
    public TenureBuilder host(Host host) {
        this.host = Optional.of(Objects.requireNonNull(host, "host is null: pass one, or leave host(…) out"));
        return this;
    }

    /**
     * Opens the client. The store is contacted when something is asked of it, and a session begins with the first
     * candidacy; so this does not fail because a store is down.
     *
     * @throws IllegalArgumentException if the settings cannot work with this backend
     */
    public Tenure open() {
        Host running = host.orElseGet(() -> SystemHost.start("tenure", callbackThreadsMax));
        Optional<StoreBinding> opened = Optional.empty();
        try {
            StoreBinding store = binding.apply(running);
            opened = Optional.of(store);
            check(store.traits());
            Backend backend = store instanceof LeaseStore leases ? new LeaseBackend(leases, running) : (Backend) store;
            String name = node.or(() -> usualNode).orElseGet(() -> NodeName.ofThisProcess(running));
            return new Tenure(
                    backend, running, new Tenure.Settings(name, ttl, standoff, bestEffort, requirement, redactor));
        } catch (RuntimeException refused) {
            opened.ifPresent(StoreBinding::close);
            if (host.isEmpty()) {
                running.shutdown();
            }
            throw redactor.failure(refused);
        }
    }

    private void check(BackendTraits traits) {
        if (ttl.compareTo(traits.ttlMin()) < 0 || ttl.compareTo(traits.ttlMax()) > 0) {
            throw new IllegalArgumentException("a TTL of " + ttl.toMillis() + " ms is outside what " + traits.store()
                    + " offers: " + traits.ttlMin().toMillis() + " to "
                    + traits.ttlMax().toMillis() + " ms");
        }
        requirement.objection(traits).ifPresent(objection -> {
            throw new IllegalArgumentException(objection);
        });
    }
}
