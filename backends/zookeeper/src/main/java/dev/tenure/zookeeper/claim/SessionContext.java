package dev.tenure.zookeeper.claim;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Batcher;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What everything that one session does has in common.
 *
 * @param granted what the servers have granted, which does not change while the session lasts
 * @param era the store's era, no older than the last answer on this connection
 */
public record SessionContext(
        Granted granted,
        Settings settings,
        Host host,
        ZooKeeperCalls calls,
        SessionEvents events,
        Supplier<CompletableFuture<StoreEra>> era) {

    /** An eighth of the bytes that servers and clients accept by default, for an answer may be longer than expected. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(128, 128 * 1024, 4);

    /**
     * @param ttl for how long a renewal is good while all goes well
     * @param over true once nothing may be sent any more
     */
    public record Granted(long sessionId, Duration ttl, BooleanSupplier over) {
        /** As ZooKeeper itself writes it. */
        public String id() {
            return "0x" + Long.toHexString(sessionId);
        }
    }

    /** A call that is sent with others. */
    interface BatchedCall extends Batcher.Item {
        CompletableFuture<?> reply();

        @Override
        default void failed(BackendException why) {
            reply().completeExceptionally(why);
        }
    }

    /** @param send answers each of them, and completes when all are answered */
    <T extends BatchedCall> Batcher<T> batcher(Function<List<T>, CompletableFuture<?>> send) {
        return new Batcher<>(host, LIMITS, batch -> {
            if (!isOver()) {
                return send.apply(batch);
            }
            batch.forEach(late -> late.failed(Batcher.overtaken()));
            return CompletableFuture.completedFuture(batch);
        });
    }

    public String id() {
        return granted.id();
    }

    public boolean isOver() {
        return granted.over.getAsBoolean();
    }
}
