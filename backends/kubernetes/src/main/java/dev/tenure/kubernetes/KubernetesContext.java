package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.kubernetes.client.LeaseApi;
import dev.tenure.kubernetes.lease.ElectionLease;
import dev.tenure.kubernetes.lease.LeaseNames;
import dev.tenure.kubernetes.lease.SilenceTracker;
import dev.tenure.spi.Host;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What the sessions of one process share. */
record KubernetesContext(LeaseApi api, Host host, EraLease era, SilenceTracker silence, ElectionWatches watches) {
    CompletableFuture<ElectionLease> get(ElectionName election) {
        return api.get(LeaseNames.of(election)).thenApply(found -> {
            ElectionLease lease = new ElectionLease(election, found);
            silence.saw(lease, host.nanos());
            return lease;
        });
    }

    /** Empty if what stands there is not what was read. */
    CompletableFuture<Optional<ElectionLease>> write(ElectionLease read, Lease next) {
        return shown(read, read.lease().isPresent() ? api.replace(next) : api.create(next));
    }

    /** The same, before all that can wait. */
    CompletableFuture<Optional<ElectionLease>> renew(ElectionLease read, Lease next) {
        return shown(read, api.renew(next));
    }

    private static CompletableFuture<Optional<ElectionLease>> shown(
            ElectionLease read, CompletableFuture<Optional<Lease>> writing) {
        return writing.thenApply(found -> found.map(lease -> new ElectionLease(read.election(), Optional.of(lease))));
    }

    /** Was its holder silent for its time? Nobody's clock counts but that of this process. */
    boolean isSilent(ElectionLease lease, long ttlNanos) {
        return host.nanos() - silentAtNanos(lease, ttlNanos) >= 0;
    }

    /** A client of another library may count its own duration instead of what it has written: the longer one counts here. */
    long silentAtNanos(ElectionLease lease, long ttlNanos) {
        return silence.silentAtNanos(lease, lease.term().isPresent() ? 0 : ttlNanos, host.nanos());
    }

    /** Nobody knows which write has made it the holder; the first one that was seen of it stands for that. */
    FencingToken tokenOfForeign(ElectionLease lease) {
        return FencingToken.of(era.known().era(), silence.termVersion(lease));
    }
}
