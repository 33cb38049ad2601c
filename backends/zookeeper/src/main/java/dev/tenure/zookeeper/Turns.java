package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One change at a time, and the newest wins: a change begins when the one before it is settled, whatever came of it, and what
 * was overtaken while it waited is not done at all. So a release never runs ahead of the claim that it takes back.
 * Loop-confined.
 */
final class Turns {
    /** Shared by all: there are very many of these, and most of them rest. */
    private static final CompletableFuture<Boolean> REST = CompletableFuture.completedFuture(true);

    private long newest;
    private CompletableFuture<Boolean> last = REST;

    /** Whose turn it is or will be. */
    long next() {
        return ++newest;
    }

    boolean isNewest(long turn) {
        return newest == turn;
    }

    <T> CompletableFuture<T> take(long turn, Supplier<CompletableFuture<T>> change) {
        CompletableFuture<T> done =
                last == REST ? begin(turn, change) : last.thenCompose(settled -> begin(turn, change));
        CompletableFuture<Boolean> settled = new CompletableFuture<>();
        last = settled;
        return done.whenComplete((value, failure) -> {
            if (last == settled) {
                last = REST;
            }
            settled.complete(true);
        });
    }

    private <T> CompletableFuture<T> begin(long turn, Supplier<CompletableFuture<T>> change) {
        try {
            return isNewest(turn) ? change.get() : CompletableFuture.failedFuture(overtaken(Effect.NONE));
        } catch (RuntimeException impossible) {
            return CompletableFuture.failedFuture(impossible);
        }
    }

    static BackendException overtaken(Effect effect) {
        return new BackendException(
                effect, Kind.UNREACHABLE, "this call was overtaken by a newer one for the same election");
    }
}
