package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.kubernetes.client.LeaseApi;
import dev.tenure.kubernetes.client.LeaseWatcher;
import dev.tenure.kubernetes.lease.ElectionLease;
import dev.tenure.kubernetes.lease.LeaseNames;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.WatchRegistry;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The watches of one process: one of the whole namespace where the Role allows it, else one for each election that somebody here stands in or looks
 * at. Loop-confined, but for {@link #add} and {@link #close}.
 */
final class ElectionWatches {
    private final LeaseApi api;
    private final Host host;
    private final WatchRegistry<Consumer<ElectionLease>> listeners = new WatchRegistry<>();
    private final Map<ElectionName, LeaseWatcher> single = new HashMap<>();
    private final Set<ElectionName> followed = new HashSet<>();
    private Optional<LeaseWatcher> whole = Optional.empty();
    private Duration silence = Duration.ofSeconds(15);
    private boolean narrow;
    private volatile boolean closed;

    ElectionWatches(LeaseApi api, Host host) {
        this.api = api;
        this.host = host;
    }

    /** Told of each Lease that may have changed, on the loop; without a Lease if it is gone. */
    Watch add(Consumer<ElectionLease> listener) {
        host.post(this::startWhole);
        return listeners.add(listener);
    }

    /** A watch that says nothing for that long is begun anew. */
    void silence(Duration ttl) {
        silence = ttl.compareTo(silence) < 0 ? ttl : silence;
    }

    void follow(ElectionName election) {
        if (!closed && followed.add(election) && narrow) {
            startSingle(election);
        }
    }

    boolean isCurrent(Set<ElectionName> elections) {
        return narrow
                ? elections.stream()
                        .allMatch(one ->
                                single.containsKey(one) && single.get(one).isCurrent())
                : whole.filter(LeaseWatcher::isCurrent).isPresent();
    }

    private void startWhole() {
        if (!closed && !narrow && whole.isEmpty()) {
            whole = Optional.of(new LeaseWatcher(api, host, "", silence, new Told(Optional.empty())).start());
        }
    }

    private void startSingle(ElectionName election) {
        String selector = "fieldSelector=metadata.name=" + LeaseNames.of(election);
        single.computeIfAbsent(
                election, one -> new LeaseWatcher(api, host, selector, silence, new Told(Optional.of(one))).start());
    }

    private final class Told implements LeaseWatcher.Listener {
        /** The one election that is watched; empty if it is the namespace. */
        private final Optional<ElectionName> only;

        Told(Optional<ElectionName> only) {
            this.only = only;
        }

        @Override
        public void listed(List<Lease> all) {
            Set<ElectionName> gone = new HashSet<>(only.map(Set::of).orElse(followed));
            for (Lease lease : all) {
                ElectionLease.find(lease).ifPresent(found -> {
                    gone.remove(found.election());
                    tell(found);
                });
            }
            gone.forEach(election -> tell(new ElectionLease(election, Optional.empty())));
        }

        @Override
        public void changed(Lease lease, boolean deleted) {
            ElectionLease.find(lease)
                    .ifPresent(found -> tell(deleted ? new ElectionLease(found.election(), Optional.empty()) : found));
        }

        private void tell(ElectionLease lease) {
            listeners.tell(listener -> listener.accept(lease));
        }

        /** The Role may name single Leases. */
        @Override
        public void failed(BackendException why) {
            if (only.isEmpty() && why.kind() == BackendException.Kind.MISCONFIGURED) {
                narrow = true;
                whole.ifPresent(LeaseWatcher::close);
                whole = Optional.empty();
                followed.forEach(ElectionWatches.this::startSingle);
            }
        }
    }

    void close() {
        closed = true;
        listeners.close();
        host.post(() -> {
            whole.ifPresent(LeaseWatcher::close);
            single.values().forEach(LeaseWatcher::close);
        });
    }
}
