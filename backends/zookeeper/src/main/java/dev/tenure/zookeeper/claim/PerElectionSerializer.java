package dev.tenure.zookeeper.claim;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One change at a time, and the newest wins: a change begins when the one before it has ended, and one that a newer call has
 * overtaken while it waited is not made at all. So a release never runs ahead of the claim that it takes back.
 * Loop-confined.
 */
final class PerElectionSerializer {
    /** Shared by all: there are very many of these, and most of them rest. */
    private static final CompletableFuture<Boolean> IDLE = CompletableFuture.completedFuture(true);

    private long newest;
    private CompletableFuture<Boolean> last = IDLE;

    /** Begins a call, which overtakes all before it. */
    long next() {
        return ++newest;
    }

    boolean isIdle() {
        return last == IDLE;
    }

    boolean isNewest(long call) {
        return newest == call;
    }

    <T> CompletableFuture<T> run(long call, Supplier<CompletableFuture<T>> change) {
        CompletableFuture<T> done =
                last == IDLE ? begin(call, change) : last.thenCompose(settled -> begin(call, change));
        CompletableFuture<Boolean> settled = new CompletableFuture<>();
        last = settled;
        return done.whenComplete((value, failure) -> {
            if (last == settled) {
                last = IDLE;
            }
            settled.complete(true);
        });
    }

    private <T> CompletableFuture<T> begin(long call, Supplier<CompletableFuture<T>> change) {
        try {
            return isNewest(call) ? change.get() : CompletableFuture.failedFuture(overtaken(Effect.NONE));
        } catch (RuntimeException bug) {
            return CompletableFuture.failedFuture(bug);
        }
    }

    static BackendException overtaken(Effect effect) {
        return new BackendException(
                effect, Kind.UNREACHABLE, "this call was overtaken by a newer one for the same election");
    }
}
