// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What follows the answer to a call: help with stages that may fail. */
public final class Stages {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private Stages() {}

    /** Makes a call. One that throws has failed, as its stage would have. */
    public static <T> CompletionStage<T> call(Supplier<? extends CompletionStage<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    /** Makes a call whose answer arrives on the loop, so that what follows needs no locks. */
    public static <T> CompletableFuture<T> onLoop(Host host, Supplier<? extends CompletionStage<T>> call) {
        CompletableFuture<T> moved = new CompletableFuture<>();
        call(call)
                .whenComplete((reply, failure) -> host.post(() -> {
                    if (failure == null) {
                        moved.complete(reply);
                    } else {
                        moved.completeExceptionally(failure);
                    }
                }));
        return moved;
    }

    /**
     * Goes on with the answer or with the bare failure. Whatever goes wrong in that is a bug, and is logged instead of vanishing
     * in a future.
     */
    public static <T> void follow(CompletionStage<T> call, Consumer<T> onReply, Consumer<Throwable> onFailure) {
        call.whenComplete((reply, failure) -> {
            try {
                if (failure == null) {
                    onReply.accept(reply);
                } else {
                    onFailure.accept(rootOf(failure));
                }
            } catch (RuntimeException | Error bug) {
                LOG.log(Level.ERROR, "what follows the answer of a store failed", bug);
            }
        });
    }

    /** Nobody waits for this call: its failure is reported in the log, for those that look for bugs, and costs nothing else. */
    public static void ignore(String doing, CompletionStage<?> call) {
        call.whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.log(Level.DEBUG, doing + " failed", failure);
            }
        });
    }

    /** The failure itself, without what futures wrap around it. */
    public static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while ((root instanceof CompletionException || root instanceof ExecutionException) && root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Only a backend's own word says that nothing happened; everything else is unknown. */
    public static Effect effectOf(Throwable failure) {
        return rootOf(failure) instanceof BackendException known ? known.effect() : Effect.UNKNOWN;
    }
}
