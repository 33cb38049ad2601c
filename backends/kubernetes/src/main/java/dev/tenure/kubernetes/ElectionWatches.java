// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
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
    private final Set<ElectionName> followed = new HashSet<>();
    /** By its election; that of the whole namespace has none. */
    private final Map<Optional<ElectionName>, LeaseWatcher> watchers = new HashMap<>();

    private Duration silence = Duration.ofSeconds(15);
    private boolean narrow;
    private volatile boolean closed;

    ElectionWatches(LeaseApi api, Host host) {
        this.api = api;
        this.host = host;
    }

    /** The listener gets each Lease that may have changed, on the loop; one that is gone without its fields. */
    Watch add(Consumer<ElectionLease> listener) {
        host.post(() -> {
            if (!narrow) {
                start(Optional.empty());
            }
        });
        return listeners.add(listener);
    }

    /** A watch that says nothing for that long is begun anew. */
    void silence(Duration ttl) {
        silence = ttl.compareTo(silence) < 0 ? ttl : silence;
    }

    void follow(ElectionName election) {
        if (followed.add(election) && narrow) {
            start(Optional.of(election));
        }
    }

    boolean isCurrent(Set<ElectionName> elections) {
        return narrow ? elections.stream().allMatch(one -> isCurrent(Optional.of(one))) : isCurrent(Optional.empty());
    }

    private boolean isCurrent(Optional<ElectionName> only) {
        LeaseWatcher watcher = watchers.get(only);
        return watcher != null && watcher.isCurrent();
    }

    private void start(Optional<ElectionName> only) {
        if (!closed && !watchers.containsKey(only)) {
            String selector = only.map(one -> "fieldSelector=metadata.name%3D" + LeaseNames.of(one))
                    .orElse("");
            watchers.put(only, new LeaseWatcher(api, host, selector, silence, new Listener(only)).start());
        }
    }

    private final class Listener implements LeaseWatcher.Listener {
        private final Optional<ElectionName> only;

        Listener(Optional<ElectionName> only) {
            this.only = only;
        }

        @Override
        public void listed(List<Lease> all) {
            Set<ElectionName> gone = new HashSet<>(only.map(Set::of).orElse(followed));
            for (Lease lease : all) {
                ElectionLease.find(lease).ifPresent(found -> {
                    gone.remove(found.election());
                    publish(found);
                });
            }
            gone.forEach(election -> publish(new ElectionLease(election, Optional.empty())));
        }

        @Override
        public void changed(Lease lease, boolean deleted) {
            ElectionLease.find(lease)
                    .ifPresent(
                            found -> publish(deleted ? new ElectionLease(found.election(), Optional.empty()) : found));
        }

        private void publish(ElectionLease lease) {
            listeners.publish(listener -> listener.accept(lease));
        }

        /** The Role may name single Leases. */
        @Override
        public void failed(BackendException why) {
            if (only.isEmpty() && ApiErrors.isForbidden(why)) {
                narrow = true;
                Optional.ofNullable(watchers.remove(only)).ifPresent(LeaseWatcher::close);
                followed.forEach(election -> start(Optional.of(election)));
            }
        }
    }

    void close() {
        closed = true;
        listeners.close();
        host.post(() -> watchers.values().forEach(LeaseWatcher::close));
    }
}
