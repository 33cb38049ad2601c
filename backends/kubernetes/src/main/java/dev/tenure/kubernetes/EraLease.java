package dev.tenure.kubernetes;

import dev.tenure.kubernetes.client.LeaseApi;
import dev.tenure.kubernetes.lease.ElectionLease;
import dev.tenure.kubernetes.lease.LeaseNames;
import dev.tenure.kubernetes.lease.RecordLease;
import dev.tenure.kubernetes.lease.RecordLease.Mode;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Store id and era of the namespace, in a Lease of their own. Loop-confined. */
final class EraLease {
    private final LeaseApi api;
    private final Host host;
    private Optional<StoreEra> known = Optional.empty();
    private long readNanos;

    EraLease(LeaseApi api, Host host) {
        this.api = api;
        this.host = host;
    }

    /** As it was read last; era 0 if it was not. */
    StoreEra known() {
        return known.orElse(new StoreEra("", 0));
    }

    /** Read again unless that was done within this time: many claims share one read. */
    CompletableFuture<StoreEra> within(long nanos) {
        return known.isPresent() && host.nanos() - readNanos < nanos
                ? CompletableFuture.completedFuture(known.get())
                : read();
    }

    CompletableFuture<StoreEra> read() {
        return lease().thenApply(this::era);
    }

    CompletableFuture<StoreEra> raise(int atLeast) {
        return EraRecord.raise(atLeast, this::lease, this::era, (lease, raised) -> api.replace(
                        written(Optional.of(lease), raised))
                .thenApply(written -> {
                    written.ifPresent(this::era);
                    return written.isPresent();
                }));
    }

    /** Made by the first process that asks. */
    private CompletableFuture<Lease> lease() {
        return api.get(LeaseNames.ERA).thenCompose(found -> found.map(CompletableFuture::completedFuture)
                .orElseGet(() -> api.create(written(Optional.empty(), EraRecord.fresh(host)))
                        .thenCompose(made -> made.map(CompletableFuture::completedFuture)
                                .orElseGet(this::lease))));
    }

    private Lease written(Optional<Lease> before, StoreEra era) {
        return RecordLease.written(
                before,
                EraRecord.KEY,
                EraRecord.text(era),
                Mode.LEASES,
                ElectionLease.time(host.wallMillis(), 0));
    }

    private StoreEra era(Lease lease) {
        ElectionLease.versionNumber(lease.getMetadata().getResourceVersion());
        String text = RecordLease.value(lease, EraRecord.KEY, Mode.LEASES);
        StoreEra era = EraRecord.of("Lease " + LeaseNames.ERA, text);
        known = Optional.of(era);
        readNanos = host.nanos();
        return era;
    }
}
