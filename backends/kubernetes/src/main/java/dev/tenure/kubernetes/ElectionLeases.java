package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.Host;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The Leases of elections as this process reads and writes them, and which of their holders are silent. Loop-confined. */
record ElectionLeases(LeaseApi api, Host host, EraLease era, SilenceTracker silence) {
    CompletableFuture<ElectionLease> get(ElectionName election) {
        long askedNanos = host.nanos();
        return api.get(LeaseNames.of(election)).thenApply(found -> {
            ElectionLease lease = new ElectionLease(election, found);
            silence.read(lease, askedNanos, host.nanos());
            return lease;
        });
    }

    /** Empty if what stands there is not what was read. */
    CompletableFuture<Optional<ElectionLease>> write(ElectionLease read, Lease next) {
        return (read.lease().isPresent() ? api.replace(next) : api.create(next))
                .thenApply(found -> found.map(lease -> new ElectionLease(read.election(), Optional.of(lease))));
    }

    void observed(ElectionLease lease) {
        silence.observed(lease, host.nanos());
    }

    /** Was its holder silent for its time? No clock counts but that of this process. */
    boolean isSilent(ElectionLease lease, long ttlNanos) {
        return host.nanos() - silentAtNanos(lease, ttlNanos) >= 0;
    }

    /** A client of another library may count its own duration instead of what it has written: the longer one counts here. */
    long silentAtNanos(ElectionLease lease, long ttlNanos) {
        return silence.silentAtNanos(lease, lease.term().isPresent() ? 0 : ttlNanos, host.nanos());
    }

    /** Nobody knows which write has made a foreign holder the holder: the first one that was seen of it stands for that. */
    FencingToken tokenOfForeign(ElectionLease lease) {
        return FencingToken.of(era.known().era(), silence.termVersion(lease));
    }
}
