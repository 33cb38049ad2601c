package dev.tenure.peers;

import dev.tenure.spi.Host;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Carries a call to the loop, and its outcome back. */
final class Turn {
    private Turn() {}

    static <T> CompletableFuture<T> on(Host host, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        host.post(() -> {
            try {
                var unused = call.get().whenComplete((reply, failure) -> {
                    if (failure == null) {
                        outcome.complete(reply);
                    } else {
                        outcome.completeExceptionally(failure);
                    }
                });
            } catch (RuntimeException unexpected) {
                outcome.completeExceptionally(unexpected);
            }
        });
        return outcome;
    }
}
