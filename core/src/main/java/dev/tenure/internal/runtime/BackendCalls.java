// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.TenureEvent.StoreCalled.Outcome;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.Stages;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Calls a backend and brings its answer to the loop. A backend that throws is answered for; nothing is retried here. */
final class BackendCalls {
    private BackendCalls() {}

    static <T> void of(
            Engine engine, Supplier<CompletionStage<T>> call, Consumer<T> onReply, Consumer<Throwable> onFailure) {
        Stages.follow(
                Stages.onLoop(engine.host, call),
                reply -> engine.guard(() -> onReply.accept(reply)),
                failure -> engine.guard(() -> onFailure.accept(failure)));
    }

    /** Only a backend's explicit word means that nothing happened; everything else is unknown. */
    static boolean isUnknown(Throwable failure) {
        return Stages.effectOf(failure) == BackendException.Effect.UNKNOWN;
    }

    static Outcome outcome(Throwable failure) {
        return isUnknown(failure) ? Outcome.UNKNOWN : Outcome.REFUSED;
    }

    static String describe(Throwable failure) {
        String message = failure.getMessage();
        return failure instanceof BackendException && message != null ? message : failure.toString();
    }
}
