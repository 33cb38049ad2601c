package dev.tenure.zookeeper;

import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Own latches are watched, those that come together by one request. Who watches them hears also of one that had gone before.
 * If a request is lost, so is its connection, and on the next one all are watched again. Loop-confined.
 *
 * <p>A renewal must not be believed before the end of a latch is told that the servers knew of when they agreed to it. So
 * its answer waits for what was still to be watched when it came: that is nothing, but right after grants and reconnections.
 */
final class Vigils {
    private static final CompletableFuture<Boolean> REST = CompletableFuture.completedFuture(true);
    private static final int BYTES_PER_VIGIL = 256;

    private final Calls calls;
    private final Batcher<Vigil> batcher;
    private CompletableFuture<Boolean> newest = REST;

    Vigils(Calls calls, Batches batches) {
        this.calls = calls;
        this.batcher = batches.of(this::send);
    }

    private record Vigil(List<String> latches, CompletableFuture<Boolean> reply) implements Batches.Call {
        @Override
        public int bytes() {
            return BYTES_PER_VIGIL * latches.size();
        }
    }

    CompletableFuture<Boolean> over(List<String> latches) {
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        newest = begun;
        Stages.ignore("a call that nobody waits for", begun.whenComplete((done, failure) -> {
            if (newest == begun) {
                newest = REST;
            }
        }));
        batcher.add(new Vigil(latches, begun));
        return begun;
    }

    /** Completes when all that was to be watched is watched; one connection keeps the order. */
    CompletableFuture<Boolean> begun() {
        return newest;
    }

    private CompletableFuture<Boolean> send(List<Vigil> vigils) {
        return calls.watch(
                        vigils.stream().flatMap(vigil -> vigil.latches.stream()).toList())
                .whenComplete((done, failure) -> {
                    for (Vigil vigil : vigils) {
                        if (failure == null) {
                            vigil.reply.complete(true);
                        } else {
                            vigil.reply.completeExceptionally(failure);
                        }
                    }
                });
    }
}
