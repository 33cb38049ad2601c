package dev.tenure.zookeeper.claim;

import dev.tenure.spi.support.Stages;
import java.util.concurrent.CompletableFuture;

/**
 * The watches on own latches that are requested and not yet set. Loop-confined.
 *
 * <p>A renewal must not be believed before the end of every latch is reported that the servers knew of when they agreed to it. The
 * servers report it on the same connection, in order, once the latch is watched. So the answer to a renewal waits for the watches that
 * are being set when it comes: there are none, except right after grants and reconnections.
 */
public final class PendingWatches {
    private static final CompletableFuture<Boolean> NONE = CompletableFuture.completedFuture(true);

    private CompletableFuture<Boolean> newest = NONE;

    /** @param watch completes when the watch is set and what it found was reported */
    void add(CompletableFuture<Boolean> watch) {
        newest = watch;
        Stages.ignore("the watch on a latch", watch.whenComplete((done, failure) -> {
            if (newest == watch) {
                newest = NONE;
            }
        }));
    }

    /** Completes when all that were requested are set: one connection keeps the order. */
    public CompletableFuture<Boolean> allSet() {
        return newest;
    }
}
