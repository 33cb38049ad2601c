// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.EraRecord;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The store's era as a session sees it, read again for a claim unless it was read a moment ago: thousands of claims in a
 * row share one read. A token is always above the last one of its election, so an era seen a moment late costs nothing.
 * Another store id means another store: what this session knows of it is void, and the session with it. Its own record
 * may be there all the same, if it was opened while the store was being replaced.
 */
final class EraCache {
    private static final String REPLACED = "the store was emptied or replaced since this session was opened";
    private static final double FRESH_SHARE_OF_TTL = 0.05;

    private final LoopStore store;
    private final Host host;
    private final Consumer<String> lost;
    private final long freshNanos;
    private StoreEra known;
    private long readNanos;

    EraCache(LoopStore store, Host host, StoreEra known, long ttlNanos, Consumer<String> lost) {
        this.store = store;
        this.host = host;
        this.known = known;
        this.lost = lost;
        this.freshNanos = (long) (ttlNanos * FRESH_SHARE_OF_TTL);
        this.readNanos = host.nanos();
    }

    StoreEra known() {
        return known;
    }

    CompletableFuture<StoreEra> fresh() {
        if (host.nanos() - readNanos < freshNanos) {
            return CompletableFuture.completedFuture(known);
        }
        return store.read(EraRecord.KEY).thenApply(this::seen);
    }

    private StoreEra seen(Versioned stored) {
        StoreEra seen = stored.isPresent() ? EraRecord.of(stored) : new StoreEra("", 0);
        if (!seen.storeId().equals(known.storeId())) {
            lost.accept(REPLACED);
            throw BackendException.unreachable(REPLACED);
        }
        known = seen;
        readNanos = host.nanos();
        return seen;
    }
}
