// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One client of a store in memory and in real time: what the kit itself is tested with. */
class MemoryStore implements LeaseStore {
    private final Space space;
    private final Host host;
    private volatile boolean closed;

    MemoryStore(Space space, Host host) {
        this.space = space;
        this.host = host;
    }

    private record Stored(String version, String value, OptionalLong expiresAtNanos) {}

    private record Watcher(String prefix, Consumer<String> changedKey, AtomicBoolean open) {}

    /** The records that all clients of one namespace share. What a broken store gets wrong is overridden. */
    static class Space {
        private final Map<String, Stored> records = new TreeMap<>();
        private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
        private final ExpiryDetection judge;
        private final Wakeup wakeup;
        private long versions;

        Space(ExpiryDetection judge, Wakeup wakeup) {
            this.judge = judge;
            this.wakeup = wakeup;
        }

        boolean writes(Versioned current, Versioned expected) {
            return current.version().equals(expected.version());
        }

        boolean deletes(Versioned current, Versioned expected) {
            return current.version().equals(expected.version());
        }

        String nextVersion(String key, Optional<String> before) {
            return Long.toString(++versions);
        }

        long leftNanos(long expiresAtNanos) {
            return expiresAtNanos - System.nanoTime();
        }

        Optional<String> hintOf(Write write, WriteReply reply) {
            return reply instanceof WriteReply.Applied ? Optional.of(write.key()) : Optional.empty();
        }

        final synchronized Versioned look(String key) {
            Stored stored = records.get(key);
            boolean over = stored != null
                    && stored.expiresAtNanos.isPresent()
                    && leftNanos(stored.expiresAtNanos.getAsLong()) <= 0;
            if (over && judge == ExpiryDetection.SERVER_TTL) {
                records.remove(key);
                stored = null;
            }
            if (stored == null) {
                return Versioned.absent(key, System.currentTimeMillis());
            }
            Optional<Duration> life = Optional.empty();
            if (judge == ExpiryDetection.SERVER_TIME && stored.expiresAtNanos.isPresent()) {
                life = Optional.of(Duration.ofNanos(Math.max(0, leftNanos(stored.expiresAtNanos.getAsLong()))));
            }
            return new Versioned(key, Optional.of(stored.version), stored.value, life, System.currentTimeMillis());
        }

        private synchronized List<Versioned> list(String prefix) {
            return List.copyOf(records.keySet()).stream()
                    .filter(key -> key.startsWith(prefix))
                    .map(this::look)
                    .filter(Versioned::isPresent)
                    .toList();
        }

        synchronized WriteReply set(Write write) {
            Versioned current = look(write.key());
            if (!writes(current, write.expected())) {
                return new WriteReply.Refused(current);
            }
            OptionalLong expiresAtNanos = write.timeToLive()
                    .map(ttl -> OptionalLong.of(System.nanoTime() + ttl.toNanos()))
                    .orElse(OptionalLong.empty());
            String version = nextVersion(write.key(), current.version());
            records.put(write.key(), new Stored(version, write.value(), expiresAtNanos));
            return new WriteReply.Applied(look(write.key()));
        }

        private synchronized WriteReply remove(Versioned expected) {
            Versioned current = look(expected.key());
            if (!deletes(current, expected)) {
                return new WriteReply.Refused(current);
            }
            records.remove(expected.key());
            return new WriteReply.Applied(look(expected.key()));
        }
    }

    @Override
    public BackendTraits traits() {
        return BackendTraits.of("memory")
                .grade(Grade.A, "")
                .scope(Scope.USER)
                .ttl(Duration.ofMillis(100), Duration.ofHours(1))
                .expiry(space.judge)
                .tokens(TokenSource.COUNTER)
                .wakeup(space.wakeup)
                .build();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return answer(() -> space.look(key));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return answer(() -> space.list(prefix));
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        return answer(() -> {
            WriteReply reply = space.set(write);
            space.hintOf(write, reply).ifPresent(this::hint);
            return reply;
        });
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        return answer(() -> {
            WriteReply reply = space.remove(expected);
            if (reply instanceof WriteReply.Applied) {
                hint(expected.key());
            }
            return reply;
        });
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        Watcher watcher = new Watcher(prefix, changedKey, new AtomicBoolean(space.wakeup == Wakeup.WATCH));
        space.watchers.add(watcher);
        return () -> {
            synchronized (watcher) {
                watcher.open.set(false);
            }
            space.watchers.remove(watcher);
        };
    }

    @Override
    public void close() {
        closed = true;
    }

    private void hint(String key) {
        space.watchers.forEach(watcher -> hint(watcher, key));
    }

    private void hint(Watcher watcher, String key) {
        synchronized (watcher) {
            if (watcher.open.get() && key.startsWith(watcher.prefix)) {
                watcher.changedKey.accept(key);
            }
        }
    }

    private <T> CompletionStage<T> answer(Supplier<T> call) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (closed) {
            reply.completeExceptionally(new BackendException(
                    BackendException.Effect.NONE, BackendException.Kind.UNREACHABLE, "this store is closed"));
        } else {
            host.io().execute(() -> reply.complete(call.get()));
        }
        return reply;
    }
}
