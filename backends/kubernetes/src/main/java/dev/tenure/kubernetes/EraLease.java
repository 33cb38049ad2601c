package dev.tenure.kubernetes;

import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.EraRecord;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Store id and era of the namespace, and the version numbers that tokens are made of. Loop-confined. */
final class EraLease {
    private final TokenIssuer records;
    private final Host host;
    private StoreEra known = new StoreEra("", 0);
    private long readNanos;

    EraLease(TokenIssuer records, Host host) {
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
                        (found, raised) -> set(found, raised).thenApply(WriteReply.Applied.class::isInstance))
                .thenCompose(raised -> within(0));
    }

    /** Made by the first process that asks. */
    private CompletableFuture<Versioned> stored() {
        return records.read(EraRecord.KEY)
                .toCompletableFuture()
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : set(found, EraRecord.fresh(host))
                                .thenApply(reply -> reply instanceof WriteReply.Applied made
                                        ? made.now()
                                        : ((WriteReply.Refused) reply).current()));
    }

    private CompletableFuture<WriteReply> set(Versioned found, StoreEra era) {
        return records.compareAndSet(new Write(found, EraRecord.text(era), Optional.empty(), 0))
                .toCompletableFuture();
    }

    private StoreEra era(Versioned stored) {
        records.tokenOf(stored);
        known = EraRecord.of(stored);
        readNanos = host.nanos();
        return known;
    }
}
