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
    private Object newest = new Object();
    private CompletableFuture<Boolean> last = CompletableFuture.completedFuture(true);

    /** Whose turn it is or will be. */
    Object next() {
        newest = new Object();
        return newest;
    }

    boolean isNewest(Object turn) {
        return newest == turn;
    }

    <T> CompletableFuture<T> take(Object turn, Supplier<CompletableFuture<T>> change) {
        CompletableFuture<T> done = last.thenCompose(
                settled -> isNewest(turn) ? change.get() : CompletableFuture.failedFuture(overtaken(Effect.NONE)));
        last = done.handle((value, failure) -> true);
        return done;
    }

    static BackendException overtaken(Effect effect) {
        return new BackendException(
                effect, Kind.UNREACHABLE, "this call was overtaken by a newer one for the same election");
    }
}
