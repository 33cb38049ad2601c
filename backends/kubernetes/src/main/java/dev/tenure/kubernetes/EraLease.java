// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.EraRecord;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Store id and era of the namespace. Loop-confined. */
final class EraLease {
    private final RecordLeases records;
    private final Host host;
    private StoreEra known = new StoreEra("", 0);
    private long readNanos;

    EraLease(RecordLeases records, Host host) {
        this.records = records;
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
                        (found, raised) -> write(found, raised).thenApply(WriteReply.Applied.class::isInstance))
                .thenCompose(raised -> within(0));
    }

    /** Made by the first process that asks. */
    private CompletableFuture<Versioned> stored() {
        return records.read(EraRecord.KEY)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : write(found, EraRecord.fresh(host)).thenCompose(made -> stored()));
    }

    private CompletableFuture<WriteReply> write(Versioned expected, StoreEra era) {
        return records.compareAndSet(new Write(expected, EraRecord.text(era), Optional.empty(), 0));
    }

    private StoreEra era(Versioned stored) {
        known = EraRecord.of(stored);
        readNanos = host.nanos();
        return known;
    }
}
