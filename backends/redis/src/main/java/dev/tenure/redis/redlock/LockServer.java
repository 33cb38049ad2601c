// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import dev.tenure.redis.RedisSettings;
import dev.tenure.redis.RedisStore;
import dev.tenure.spi.Host;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;

/** One of the independent servers. Any thread. */
final class LockServer {
    /**
     * A write or a deletion.
     *
     * @param version of the record that is written or deleted
     * @param deletes whether it is a deletion
     * @param step makes it on one server, over a record that is expected there
     */
    record Change(
            String version, boolean deletes, BiFunction<RedisStore, Versioned, CompletionStage<WriteReply>> step) {
        CompletionStage<WriteReply> at(RedisStore store, Versioned expected) {
            return step.apply(store, expected);
        }
    }

    private static final int ROUNDS_MAX = 3;
    private static final int NUMBER_DIGITS = 16;

    private final Host host;
    private final RedisStore store;
    private final long pauseNanos;
    /** At the latest. Not known before the first connection, and then before the first answer. */
    private final AtomicLong upSinceNanos;

    private volatile boolean failed;

    /** @param pause for how long it does not count after a restart */
    LockServer(RedisSettings settings, Duration pause, Host host) {
        this.pauseNanos = pause.plusSeconds(1).toNanos(); // the server tells whole seconds
        this.host = host;
        this.upSinceNanos = new AtomicLong(host.nanos() - pauseNanos);
        this.store = new RedisStore(settings, host, this::restarted);
    }

    /** A restart ends every connection, so it is noticed before the server answers anything. */
    private void restarted(long uptimeSeconds) {
        // A late report of an earlier start changes nothing.
        upSinceNanos.accumulateAndGet(host.nanos() - TimeUnit.SECONDS.toNanos(uptimeSeconds), Math::max);
    }

    /** A server that restarted may have lost what it had granted. It does not count before that has expired. */
    boolean counts() {
        return host.nanos() - upSinceNanos.get() >= pauseNanos;
    }

    /** Then the others are asked first. */
    boolean isDoubtful() {
        return failed || !counts();
    }

    RedisStore store() {
        return store;
    }

    <T> CompletableFuture<T> call(Function<RedisStore, CompletionStage<T>> call) {
        return call.apply(store).toCompletableFuture().whenComplete((reply, failure) -> failed = failure != null);
    }

    /**
     * Makes a change that another server has decided, also over an older record, which this server has if it was away. A deletion counts
     * where it found the record: elsewhere the write of that record may still be on its way, and would bring it back.
     *
     * @return whether the change is made here, or one that came after it
     */
    CompletableFuture<Boolean> follow(Change change, Versioned expected) {
        return follow(change, expected, ROUNDS_MAX);
    }

    private CompletableFuture<Boolean> follow(Change change, Versioned expected, int rounds) {
        return call(store -> change.at(store, expected)).thenCompose(reply -> {
            if (reply instanceof WriteReply.Applied) {
                return CompletableFuture.completedFuture(!change.deletes || rounds == ROUNDS_MAX);
            }
            Versioned current = ((WriteReply.Refused) reply).current();
            int compared = number(current).compareTo(number(change.version));
            return compared < 0 && rounds > 1
                    ? follow(change, current, rounds - 1)
                    : CompletableFuture.completedFuture(
                            compared > 0 || current.version().equals(Optional.of(change.version)));
        });
    }

    /** A version begins with a number that grows with each write of a record. */
    static String number(Versioned record) {
        return record.version().map(LockServer::number).orElse("");
    }

    private static String number(String version) {
        return version.substring(0, Math.min(NUMBER_DIGITS, version.length()));
    }
}
