package dev.tenure.cli.run;

import dev.tenure.cli.command.Failure;
import java.util.concurrent.CompletableFuture;

/** How {@code run} ends: reached once, whoever comes first. Any thread. */
final class Verdict {
    private final CompletableFuture<Integer> code = new CompletableFuture<>();

    void end(int exitCode) {
        code.complete(exitCode);
    }

    void fail(Failure failure) {
        code.completeExceptionally(failure);
    }

    boolean isReached() {
        return code.isDone();
    }

    /** @throws RuntimeException with the {@link Failure}, if it is one */
    int await() {
        return code.join();
    }
}
