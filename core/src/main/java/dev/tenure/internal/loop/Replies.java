package dev.tenure.internal.loop;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Calls a backend and brings its answer to the loop. A backend that throws is answered for; nothing is retried here. */
final class Replies {
    private Replies() {}

    static <T> void of(
            Host host, Supplier<CompletionStage<T>> call, Consumer<T> onReply, Consumer<Throwable> onFailure) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (RuntimeException | Error thrown) {
            host.post(() -> onFailure.accept(thrown));
            return;
        }
        stage.whenComplete((reply, failure) -> host.post(() -> {
            if (failure == null) {
                onReply.accept(reply);
            } else {
                onFailure.accept(rootOf(failure));
            }
        }));
    }

    static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root instanceof CompletionException && root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Only a backend's explicit word means that nothing happened; everything else is unknown. */
    static boolean isUnknown(Throwable failure) {
        return !(failure instanceof BackendException known) || known.effect() == BackendException.Effect.UNKNOWN;
    }

    static String describe(Throwable failure) {
        String message = failure.getMessage();
        return failure instanceof BackendException && message != null ? message : failure.toString();
    }
}
