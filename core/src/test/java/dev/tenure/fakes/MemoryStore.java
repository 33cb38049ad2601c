// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fakes;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
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
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store in a map. It keeps its word unless the test decides the fate of a call, such as {@code fate("set c/",
 * Fate.LOSE_REPLY)} for the next write of a claim. Calls are told as {@code read k}, {@code list p}, {@code set k}, {@code
 * delete k}.
 */
public class MemoryStore implements LeaseStore {
    /** What becomes of one call. */
    public enum Fate {
        /** Applied, but nobody is told. */
        LOSE_REPLY,
        /** Neither applied nor answered, until the test lets it. */
        DELAY,
        /** Applied at once, and answered when the test lets it. */
        DELAY_REPLY,
        /** Never applied, never answered. */
        DROP,
        /** Not applied, and said so. */
        FAIL_NONE,
        /** Not applied, but that is not known. */
        FAIL_UNKNOWN,
        /** Applied, but that is not known. */
        FAIL_APPLIED,
        /** Throws instead of answering. */
        THROW,
        /** Throws what no store should throw. */
        THROW_ERROR
    }

    private record Stored(String version, String value, Optional<Duration> life, long writtenNanos) {}

    private record Rule(String calls, Fate fate, boolean once) {}

    private record Watcher(String prefix, Consumer<String> changedKey) {}

    private final Host host;
    private final TreeMap<String, Stored> records = new TreeMap<>();
    private final List<String> log = new ArrayList<>();
    private final List<Long> issued = new ArrayList<>();
    private final List<Rule> rules = new ArrayList<>();
    private final List<Runnable> delayed = new ArrayList<>();
    /** Replies that nobody got. */
    private final List<Object> lost = new ArrayList<>();

    private final CopyOnWriteArrayList<Watcher> watchers = new CopyOnWriteArrayList<>();
    private BackendTraits traits;
    private boolean hints = true;
    private long clockAheadMillis;
    private long latencyNanos;
    private long versions;
    private int closes;

    public MemoryStore(Host host) {
        this.host = host;
        this.traits = BackendTraits.of("memory:")
                .grade(Grade.A, "it is a map")
                .scope(Scope.MACHINE)
                .ttl(Duration.ofMillis(100), Duration.ofMinutes(10))
                .expiry(BackendTraits.ExpiryDetection.OBSERVER)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .build();
    }

    public synchronized MemoryStore judgedBy(BackendTraits.ExpiryDetection judge) {
        traits = traits.change().expiry(judge).build();
        return this;
    }

    public synchronized MemoryStore graded(Grade grade, String reason, Scope scope) {
        traits = traits.change().grade(grade, reason).scope(scope).build();
        return this;
    }

    /** It turns out that its terms are too short to do without a fence. */
    public synchronized MemoryStore onlyFenced(String reason) {
        traits = traits.change()
                .grade(Grade.D, reason)
                .fenceRequirement(BackendTraits.FenceRequirement.FENCE)
                .build();
        return this;
    }

    /** It turns out that nothing is notified. */
    public synchronized void polls() {
        traits = traits.change().wakeup(BackendTraits.Wakeup.POLL).build();
    }

    /** The next call that begins with this meets this fate. */
    public synchronized void fate(String calls, Fate fate) {
        rules.add(new Rule(calls, fate, true));
    }

    /** Every call that begins with this meets this fate, until {@link #heal}. */
    public synchronized void fateOfAll(String calls, Fate fate) {
        rules.add(new Rule(calls, fate, false));
    }

    public synchronized void heal() {
        rules.clear();
    }

    /** Applies and answers what was delayed. */
    public void deliverDelayed() {
        List<Runnable> due;
        synchronized (this) {
            due = List.copyOf(delayed);
            delayed.clear();
        }
        due.forEach(Runnable::run);
    }

    public synchronized void mute() {
        hints = false;
    }

    /** From now on every call takes this long. Calls come from the loop then. */
    public synchronized void latency(Duration latency) {
        latencyNanos = latency.toNanos();
    }

    public synchronized void clockAhead(Duration ahead) {
        clockAheadMillis = ahead.toMillis();
    }

    /** Changes a record behind everybody's back; without a hint. */
    public synchronized void put(String key, String value) {
        records.put(key, new Stored("v" + ++versions, value, Optional.empty(), host.nanos()));
    }

    public synchronized void remove(String key) {
        records.remove(key);
    }

    public synchronized Versioned peek(String key) {
        return versioned(key);
    }

    public synchronized List<String> keys(String prefix) {
        return records.keySet().stream().filter(key -> key.startsWith(prefix)).toList();
    }

    /** What was called since the last look. */
    public synchronized List<String> calls() {
        List<String> seen = List.copyOf(log);
        log.clear();
        return seen;
    }

    /** The tokens that were announced as issued, in order. */
    public synchronized List<Long> issued() {
        return List.copyOf(issued);
    }

    public synchronized int closes() {
        return closes;
    }

    public int watches() {
        return watchers.size();
    }

    @Override
    public synchronized BackendTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return answer("read " + key, () -> versioned(key));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return answer(
                "list " + prefix,
                () -> keys(prefix).stream().map(this::versioned).toList());
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        return answer("set " + write.key(), () -> {
            Versioned now = versioned(write.key());
            if (!now.version().equals(write.expected().version())) {
                return new WriteReply.Refused(now);
            }
            if (write.issues() > 0) {
                issued.add(write.issues());
            }
            Stored stored = new Stored("v" + ++versions, write.value(), write.timeToLive(), host.nanos());
            records.put(write.key(), stored);
            hint(write.key());
            return new WriteReply.Applied(versioned(write.key()));
        });
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        return answer("delete " + expected.key(), () -> {
            Versioned now = versioned(expected.key());
            if (!now.version().equals(expected.version())) {
                return new WriteReply.Refused(now);
            }
            records.remove(expected.key());
            hint(expected.key());
            return new WriteReply.Applied(versioned(expected.key()));
        });
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        Watcher watcher = new Watcher(prefix, changedKey);
        watchers.add(watcher);
        return () -> watchers.remove(watcher);
    }

    @Override
    public synchronized void close() {
        closes++;
    }

    private Versioned versioned(String key) {
        long clockMillis = host.wallMillis() + clockAheadMillis;
        Stored stored = records.get(key);
        if (stored == null) {
            return Versioned.absent(key, clockMillis);
        }
        boolean judges = traits.expiry() == BackendTraits.ExpiryDetection.SERVER_TIME;
        Optional<Duration> left = judges
                ? stored.life.map(life -> {
                    Duration rest = life.minusNanos(host.nanos() - stored.writtenNanos);
                    return rest.isNegative() ? Duration.ZERO : rest;
                })
                : Optional.empty();
        return new Versioned(key, Optional.of(stored.version), stored.value, left, clockMillis);
    }

    private void hint(String key) {
        if (hints) {
            watchers.stream()
                    .filter(watcher -> key.startsWith(watcher.prefix))
                    .forEach(watcher -> watcher.changedKey.accept(key));
        }
    }

    long newestVersion() {
        return versions;
    }

    List<String> writtenSince(long version) {
        return records.entrySet().stream()
                .filter(entry -> entry.getValue().life.isEmpty()
                        && Long.parseLong(entry.getValue().version.substring(1)) > version)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The way to it was made anew. */
    public void reconnect() {
        watchers.forEach(watcher -> watcher.changedKey.accept(watcher.prefix));
    }

    synchronized <T> CompletionStage<T> answer(String call, Supplier<T> effect) {
        log.add(call);
        Optional<Rule> rule =
                rules.stream().filter(each -> call.startsWith(each.calls)).findFirst();
        rule.filter(Rule::once).ifPresent(rules::remove);
        if (rule.isEmpty() && latencyNanos == 0) {
            return CompletableFuture.completedFuture(effect.get());
        }
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (rule.isEmpty()) {
            host.wakeAt(host.nanos() + latencyNanos, () -> reply.complete(effect.get()));
            return reply;
        }
        switch (rule.get().fate) {
            case LOSE_REPLY -> lost.add(effect.get());
            case DELAY ->
                delayed.add(() -> {
                    T result;
                    synchronized (this) {
                        result = effect.get();
                    }
                    reply.complete(result);
                });
            case DELAY_REPLY -> {
                T result = effect.get();
                delayed.add(() -> reply.complete(result));
            }
            case DROP -> {}
            case FAIL_NONE -> reply.completeExceptionally(failure(BackendException.Effect.NONE, call));
            case FAIL_UNKNOWN -> reply.completeExceptionally(failure(BackendException.Effect.UNKNOWN, call));
            case FAIL_APPLIED -> {
                lost.add(effect.get());
                reply.completeExceptionally(failure(BackendException.Effect.UNKNOWN, call));
            }
            case THROW -> throw new IllegalStateException("the store threw on " + call);
            case THROW_ERROR -> throw new LinkageError("the store broke on " + call);
        }
        return reply;
    }

    private static BackendException failure(BackendException.Effect effect, String call) {
        return new BackendException(effect, BackendException.Kind.UNREACHABLE, "no answer to " + call);
    }
}
