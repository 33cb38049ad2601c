// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ChangeTracker;
import dev.tenure.spi.ChangeTracker.Changes;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.RenewalReader;
import dev.tenure.spi.RenewalReader.Answer;
import dev.tenure.spi.RenewalReader.Wanted;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.Stages;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A lease store whose answers all arrive on the loop, so that what stands above it needs no locks. A store that throws
 * instead of failing its stage is answered for.
 */
final class LoopStore {
    private static final long GRAIN_NANOS = 100_000;

    private final LeaseStore store;
    private final Host host;
    private long shownMillis;
    private long roundTripNanos;

    LoopStore(LeaseStore store, Host host) {
        this.store = store;
        this.host = host;
    }

    /** Otherwise changes are found by looking only. */
    boolean notifies() {
        return store.traits().wakeup() != BackendTraits.Wakeup.POLL;
    }

    /** Its hints come on any thread. */
    Watch watch(String prefix, Consumer<String> changedKey) {
        return store.watch(prefix, changedKey);
    }

    CompletableFuture<Versioned> read(String key) {
        return onLoop(() -> store.read(key)).thenApply(found -> {
            shownMillis = found.clockMillis();
            return found;
        });
    }

    /** The store's clock as a read has shown it last, or 0. */
    long shownMillis() {
        return shownMillis;
    }

    CompletableFuture<List<Versioned>> list(String prefix) {
        return onLoop(() -> store.list(prefix));
    }

    Optional<CompletableFuture<Changes>> changedSince(Optional<String> mark) {
        return store instanceof ChangeTracker tracker
                ? Optional.of(onLoop(() -> tracker.changedSince(mark)))
                : Optional.empty();
    }

    CompletableFuture<WriteReply> set(Versioned expected, String value) {
        return issue(expected, value, 0);
    }

    CompletableFuture<WriteReply> set(Versioned expected, String value, Duration timeToLive) {
        return renew(expected, value, timeToLive, Wanted.NOTHING).thenApply(Answer::reply);
    }

    boolean readsWithRenewals() {
        return store instanceof RenewalReader;
    }

    /** @param wanted nothing, unless the store reads with renewals */
    CompletableFuture<Answer> renew(Versioned expected, String value, Duration timeToLive, Wanted wanted) {
        Write write = new Write(expected, value, Optional.of(timeToLive), 0);
        long sentNanos = host.nanos();
        return onLoop(() -> store instanceof RenewalReader reader
                        ? reader.renew(write, wanted)
                        : store.compareAndSet(write).thenApply(reply -> new Answer(reply, List.of())))
                .thenApply(reply -> {
                    long tookNanos = host.nanos() - sentNanos;
                    long stepNanos = roundTripNanos / 4 + GRAIN_NANOS;
                    roundTripNanos = roundTripNanos == 0
                            ? tookNanos
                            : Math.max(roundTripNanos - stepNanos, Math.min(tookNanos, roundTripNanos + stepNanos));
                    return reply;
                });
    }

    /** How long a write takes, as renewals have shown it. One that was held up says little, so it moves step by step. */
    long roundTripNanos() {
        return roundTripNanos;
    }

    /** @param token that this write issues, or 0 */
    CompletableFuture<WriteReply> issue(Versioned expected, String value, long token) {
        return onLoop(() -> store.compareAndSet(new Write(expected, value, Optional.empty(), token)));
    }

    CompletableFuture<WriteReply> delete(Versioned expected) {
        return onLoop(() -> store.delete(expected));
    }

    private <T> CompletableFuture<T> onLoop(Supplier<CompletionStage<T>> call) {
        return Stages.onLoop(host, call);
    }
}
