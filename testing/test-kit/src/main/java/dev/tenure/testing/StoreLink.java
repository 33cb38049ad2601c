// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One node's way to the store. While it is cut, nothing gets through and nobody is told: a request is not sent, and the
 * answer to one that was sent before is lost although it took effect.
 */
public final class StoreLink implements LeaseStore {
    private final LeaseStore store;
    private final BooleanSupplier isUp;

    public StoreLink(LeaseStore store, BooleanSupplier isUp) {
        this.store = store;
        this.isUp = isUp;
    }

    @Override
    public BackendTraits traits() {
        return store.traits();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return over(() -> store.read(key));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return over(() -> store.list(prefix));
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        return over(() -> store.compareAndSet(write));
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        return over(() -> store.delete(expected));
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        return store.watch(prefix, key -> {
            if (isUp.getAsBoolean()) {
                changedKey.accept(key);
            }
        });
    }

    /** The store outlives the node. */
    @Override
    public void close() {}

    private <T> CompletionStage<T> over(Supplier<CompletionStage<T>> request) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (isUp.getAsBoolean()) {
            request.get().whenComplete((answer, failure) -> {
                if (!isUp.getAsBoolean()) {
                    return;
                }
                if (failure == null) {
                    reply.complete(answer);
                } else {
                    reply.completeExceptionally(failure);
                }
            });
        }
        return reply;
    }
}
