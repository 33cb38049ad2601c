package dev.tenure.internal.lease;

import dev.tenure.internal.engine.Timing;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A lease store whose answers all arrive on the loop, so that what stands above it needs no locks. A store that throws
 * instead of failing its stage is answered for.
 */
final class LoopStore {
    private static final double CLOCK_SLACK = Timing.DRIFT / 4;

    private final LeaseStore store;
    private final Host host;
    private long clockMillis;
    private long clockNanos;

    LoopStore(LeaseStore store, Host host) {
        this.store = store;
        this.host = host;
    }

    CompletableFuture<Versioned> read(String key) {
        return onLoop(() -> store.read(key)).thenApply(found -> {
            showed(found);
            return found;
        });
    }

    private void showed(Versioned found) {
        clockMillis = found.clockMillis();
        clockNanos = host.nanos();
    }

    /**
     * The store's clock, as it was shown last and counted on from there, rather behind than ahead: a token that is ahead of the
     * clock could be issued again when its term is lost. Empty if nothing was shown since the way to the store was made anew.
     */
    OptionalLong clockMillis() {
        long sinceNanos = (long) ((host.nanos() - clockNanos) * (1 - CLOCK_SLACK));
        return clockMillis == 0 ? OptionalLong.empty() : OptionalLong.of(clockMillis + sinceNanos / 1_000_000);
    }

    /** The store's clock as it was shown last, or 0. */
    long shownMillis() {
        return clockMillis;
    }

    /** At the end of a way that was made anew another server may be, which lacks the last writes. */
    void wayMadeAnew() {
        clockMillis = 0;
    }

    CompletableFuture<List<Versioned>> list(String prefix) {
        return onLoop(() -> store.list(prefix));
    }

    CompletableFuture<WriteReply> set(Versioned expected, String value) {
        return onLoop(() -> store.compareAndSet(new Write(expected, value, Optional.empty(), 0)));
    }

    CompletableFuture<WriteReply> vacate(Versioned expected, ClaimRecord vacant) {
        return onLoop(() ->
                store.compareAndSet(new Write(expected, vacant.text(), Optional.empty(), 0, vacant.word(), List.of())));
    }

    CompletableFuture<WriteReply> set(Versioned expected, String value, Duration timeToLive) {
        return onLoop(() -> store.compareAndSet(new Write(expected, value, Optional.of(timeToLive), 0)));
    }

    CompletableFuture<WriteReply> issue(Versioned expected, ClaimRecord claim, List<String> beside) {
        return onLoop(() -> store.compareAndSet(
                        new Write(expected, claim.text(), Optional.empty(), claim.token(), claim.word(), beside)))
                .thenApply(reply -> {
                    if (reply instanceof WriteReply.Applied applied) {
                        applied.beside().forEach(this::showed);
                    }
                    return reply;
                });
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
