package dev.tenure.kubernetes;

import dev.tenure.kubernetes.client.LeaseApi;
import dev.tenure.kubernetes.lease.ElectionLease;
import dev.tenure.kubernetes.lease.LeaseNames;
import dev.tenure.kubernetes.lease.RecordLease;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.EraRecord;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Store id and era of the namespace, and the version numbers that tokens are made of. Loop-confined. */
final class EraLease {
    private final LeaseApi api;
    private final Host host;
    private StoreEra known = new StoreEra("", 0);
    private long readNanos;
    private long writes;

    EraLease(LeaseApi api, Host host) {
        this.api = api;
        this.host = host;
    }

    /** As it was read last; without a store id if it was not. */
    StoreEra known() {
        return known;
    }

    /** Read again unless that was done within this time: many claims share one read. */
    CompletableFuture<StoreEra> within(long nanos) {
        return !known.storeId().isEmpty() && host.nanos() - readNanos < nanos
                ? CompletableFuture.completedFuture(known)
                : stored().thenApply(this::era);
    }

    CompletableFuture<StoreEra> raise(int atLeast) {
        return EraRecord.raise(atLeast, this::stored, this::era, this::replace).thenCompose(raised -> within(0));
    }

    private CompletableFuture<Boolean> replace(Lease found, StoreEra raised) {
        return api.replace(RecordLease.written(Optional.of(found), EraRecord.KEY, EraRecord.text(raised), time()))
                .thenApply(Optional::isPresent);
    }

    /** Made by the first process that asks. */
    private CompletableFuture<Lease> stored() {
        return api.get(LeaseNames.ERA)
                .thenCompose(found -> found.map(CompletableFuture::completedFuture)
                        .orElseGet(() -> api.create(RecordLease.written(
                                        Optional.empty(), EraRecord.KEY, EraRecord.text(EraRecord.fresh(host)), time()))
                                .thenCompose(made -> made.map(CompletableFuture::completedFuture)
                                        .orElseGet(this::stored))));
    }

    private ZonedDateTime time() {
        return ElectionLease.time(host.wallMillis(), writes++ % 1000);
    }

    private StoreEra era(Lease stored) {
        String version = stored.getMetadata().getResourceVersion();
        ElectionLease.versionNumber(version); // refuses a server whose versions are no numbers
        String text = RecordLease.value(stored, EraRecord.KEY);
        known = EraRecord.of(
                new Versioned(EraRecord.KEY, Optional.of(version), text, Optional.empty(), host.wallMillis()));
        readNanos = host.nanos();
        return known;
    }
}
