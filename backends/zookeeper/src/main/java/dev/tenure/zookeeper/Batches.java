package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Batcher;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * What all batches of one session have in common.
 *
 * @param over true once nothing may be sent any more
 */
record Batches(Host host, BooleanSupplier over) {
    /** In bytes an eighth of what servers and clients accept by default, for an answer may be longer than was thought. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(128, 128 * 1024, 4);

    /** A call that is sent with others. */
    interface Call extends Batcher.Item {
        CompletableFuture<?> reply();

        @Override
        default void failed(BackendException why) {
            reply().completeExceptionally(why);
        }
    }

    /** @param send answers each of them, and completes when all are answered */
    <T extends Call> Batcher<T> of(Function<List<T>, CompletableFuture<?>> send) {
        return new Batcher<>(host, LIMITS, batch -> {
            if (!over.getAsBoolean()) {
                return send.apply(batch);
            }
            batch.forEach(late -> late.failed(Batcher.overtaken()));
            return CompletableFuture.completedFuture(batch);
        });
    }
}
