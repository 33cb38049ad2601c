package dev.tenure.internal.lease;

import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A lease store whose answers all arrive on the loop, so that what stands above it needs no locks. A store that throws
 * instead of failing its stage is answered for.
 */
final class LoopStore {
    private final LeaseStore store;
    private final Host host;
    private long shownMillis;

    LoopStore(LeaseStore store, Host host) {
        this.store = store;
        this.host = host;
    }

    BackendTraits traits() {
        return store.traits();
    }

    /** Its hints come on any thread. */
    Watch watch(String prefix, Consumer<String> changedKey) {
        return store.watch(prefix, changedKey);
    }

    CompletableFuture<Versioned> read(String key) {
        return onLoop(() -> store.read(key)).thenApply(found -> {
            shownMillis = found.clockMillis();
            return found;
        });
    }

    /** The store's clock as a read has shown it last, or 0. */
    long shownMillis() {
        return shownMillis;
    }

    CompletableFuture<List<Versioned>> list(String prefix) {
        return onLoop(() -> store.list(prefix));
    }

    CompletableFuture<WriteReply> set(Versioned expected, String value) {
        return onLoop(() -> store.compareAndSet(new Write(expected, value, Optional.empty(), 0)));
    }

    CompletableFuture<WriteReply> set(Versioned expected, String value, Duration timeToLive) {
        return onLoop(() -> store.compareAndSet(new Write(expected, value, Optional.of(timeToLive), 0)));
    }

    CompletableFuture<WriteReply> issue(Versioned expected, String value, long token) {
        return onLoop(() -> store.compareAndSet(new Write(expected, value, Optional.empty(), token)));
    }

    CompletableFuture<WriteReply> delete(Versioned expected) {
        return onLoop(() -> store.delete(expected));
    }

    private <T> CompletableFuture<T> onLoop(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> moved = new CompletableFuture<>();
        try {
            call.get()
                    .whenComplete((reply, failure) -> host.post(() -> {
                        if (failure == null) {
                            moved.complete(reply);
                        } else {
                            moved.completeExceptionally(failure);
                        }
                    }));
        } catch (RuntimeException | Error thrown) {
            host.post(() -> moved.completeExceptionally(thrown));
        }
        return moved;
    }
}
