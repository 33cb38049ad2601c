// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps its word, in virtual time: every call takes effect after half of the latency and is answered after
 * the other half. It never fails; what loses and delays is put in front of it.
 */
public final class InMemoryLeaseStore implements LeaseStore {
    private static final Duration LATENCY = Duration.ofMillis(1);

    private final VirtualTime time;
    private final ExpiryDetection judge;
    private final long halfWayNanos;
    private final SortedMap<String, Stored> records = new TreeMap<>();
    private final List<Watcher> watchers = new ArrayList<>();
    private long versions;
    private long writes;

    private record Stored(String version, String value, OptionalLong expiresAtNanos) {}

    private static final class Watcher {
        final String prefix;
        final Consumer<String> changedKey;
        boolean open = true;

        Watcher(String prefix, Consumer<String> changedKey) {
            this.prefix = prefix;
            this.changedKey = changedKey;
        }

        void hint(String key) {
            if (open) {
                changedKey.accept(key);
            }
        }
    }

    private InMemoryLeaseStore(VirtualTime time, ExpiryDetection judge, Duration latency) {
        if (judge == ExpiryDetection.SERVER_TTL) {
            throw new IllegalArgumentException("this store does not remove records by itself: OBSERVER or SERVER_TIME");
        }
        if (latency.isNegative()) {
            throw new IllegalArgumentException("latency " + latency + " must be >= 0");
        }
        this.time = time;
        this.judge = judge;
        this.halfWayNanos = latency.toNanos() / 2;
    }

    /** Judged by observers, with a latency of 1 ms. */
    public static InMemoryLeaseStore on(VirtualTime time) {
        return new InMemoryLeaseStore(time, ExpiryDetection.OBSERVER, LATENCY);
    }

    /** Another, empty store. */
    public InMemoryLeaseStore judgedBy(ExpiryDetection other) {
        return new InMemoryLeaseStore(time, other, Duration.ofNanos(2 * halfWayNanos));
    }

    /** Another, empty store. */
    public InMemoryLeaseStore withLatency(Duration other) {
        return new InMemoryLeaseStore(time, judge, other);
    }

    @Override
    public BackendTraits traits() {
        return BackendTraits.of("in memory")
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(Duration.ofMillis(100), Duration.ofDays(1))
                .expiry(judge)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .build();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return answer(() -> look(key));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return answer(() -> records.tailMap(prefix).keySet().stream()
                .takeWhile(key -> key.startsWith(prefix))
                .map(this::look)
                .toList());
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        return answer(() -> {
            Versioned current = look(write.key());
            if (!current.version().equals(write.expected().version())) {
                return new WriteReply.Refused(current);
            }
            OptionalLong expiresAt = write.timeToLive()
                    .map(ttl -> OptionalLong.of(time.nanos() + ttl.toNanos()))
                    .orElse(OptionalLong.empty());
            records.put(write.key(), new Stored(Long.toString(++versions), write.value(), expiresAt));
            changed(write.key());
            return new WriteReply.Applied(look(write.key()));
        });
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        return answer(() -> {
            Versioned current = look(expected.key());
            if (!current.version().equals(expected.version())) {
                return new WriteReply.Refused(current);
            }
            records.remove(expected.key());
            changed(expected.key());
            return new WriteReply.Applied(look(expected.key()));
        });
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        Watcher watcher = new Watcher(prefix, changedKey);
        watchers.add(watcher);
        return () -> {
            watcher.open = false;
            watchers.remove(watcher);
        };
    }

    /** Does nothing: the records belong to the world, not to one client. */
    @Override
    public void close() {}

    /** Key and value of every record, as they stand now. */
    public Map<String, String> records() {
        Map<String, String> copy = new TreeMap<>();
        records.forEach((key, stored) -> copy.put(key, stored.value()));
        return copy;
    }

    /** How many writes and deletions were applied. */
    public long writes() {
        return writes;
    }

    private <T> CompletionStage<T> answer(Supplier<T> effect) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        time.at(time.nanos() + halfWayNanos, () -> {
            T result = effect.get();
            time.at(time.nanos() + halfWayNanos, () -> reply.complete(result));
        });
        return reply;
    }

    private Versioned look(String key) {
        @Nullable Stored stored = records.get(key);
        if (stored == null) {
            return Versioned.absent(key, time.wallMillis());
        }
        Optional<Duration> life = Optional.empty();
        if (judge == ExpiryDetection.SERVER_TIME && stored.expiresAtNanos().isPresent()) {
            long left = stored.expiresAtNanos().getAsLong() - time.nanos();
            life = Optional.of(Duration.ofNanos(Math.max(0, left)));
        }
        return new Versioned(key, Optional.of(stored.version()), stored.value(), life, time.wallMillis());
    }

    private void changed(String key) {
        writes++;
        for (Watcher watcher : watchers) {
            if (key.startsWith(watcher.prefix)) {
                time.at(time.nanos() + halfWayNanos, () -> watcher.hint(key));
            }
        }
    }
}
