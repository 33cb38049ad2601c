package dev.tenure.kubernetes;

import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Store id and era of the namespace, in an annotation of a Lease. Its fields keep electors out that stand under its name by mistake: it is held by
 * somebody, practically for ever. Loop-confined.
 */
final class EraLease {
    private static final String RECORD = "tenure.dev/record";
    private static final String HOLDER = "tenure";

    private final LeaseApi api;
    private final Host host;
    private StoreEra known = new StoreEra("", 0);
    private long readNanos;

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
        return EraRecord.raise(
                        atLeast,
                        this::stored,
                        this::era,
                        (found, raised) -> api.replace(edited(new LeaseBuilder(found), raised))
                                .thenApply(Optional::isPresent))
                .thenCompose(raised -> within(0));
    }

    /** Made by the first process that asks. */
    private CompletableFuture<Lease> stored() {
        return api.get(LeaseNames.ERA)
                .thenCompose(found -> found.map(CompletableFuture::completedFuture)
                        .orElseGet(() -> api.create(edited(fresh(), EraRecord.fresh(host)))
                                .thenCompose(made -> made.map(CompletableFuture::completedFuture)
                                        .orElseGet(this::stored))));
    }

    private LeaseBuilder fresh() {
        ZonedDateTime now = ElectionLease.time(host.wallMillis(), 0);
        return new LeaseBuilder()
                .withNewMetadata()
                .withName(LeaseNames.ERA)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(HOLDER)
                .withLeaseDurationSeconds(Integer.MAX_VALUE)
                .withAcquireTime(now)
                .withRenewTime(now)
                .withLeaseTransitions(0)
                .endSpec();
    }

    private static Lease edited(LeaseBuilder lease, StoreEra era) {
        return lease.editMetadata()
                .addToAnnotations(RECORD, EraRecord.text(era))
                .endMetadata()
                .build();
    }

    private StoreEra era(Lease stored) {
        ElectionLease.versionNumber(stored.getMetadata().getResourceVersion()); // refuses versions that are no numbers
        Map<String, String> noted =
                Optional.ofNullable(stored.getMetadata().getAnnotations()).orElse(Map.of());
        known = EraRecord.of("Lease " + LeaseNames.ERA, noted.getOrDefault(RECORD, ""));
        readNanos = host.nanos();
        return known;
    }
}
