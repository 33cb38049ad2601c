// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.redis.RedisSettings;
import dev.tenure.redis.RedisStore;
import dev.tenure.redis.redlock.LockServer.Change;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ExternalTokens;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.Stages;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Records in a majority of independent servers of Redis, as Redlock has its locks. No server knows the others.
 *
 * <p><b>A change</b> goes to one server first, which compares: of all that change a record at once, it lets one through. The others follow,
 * and the change counts when a majority has made it. All clients take the same server first, as long as it answers.
 *
 * <p><b>A read</b> asks all. What a majority has is true. If there is none, a change is under way, or its client is gone: then the newest
 * record is written to the others first.
 *
 * <p>This is no consensus. Clients that do not take the same server first, servers that lose their data, and clocks that jump can make two
 * leaders. So it is grade D, and tokens are drawn from a store that loses nothing.
 */
final class RedlockStore implements ExternalTokens {
    private static final String REASON =
            "a majority of independent servers of Redis depends on their clocks, and on what they lose"
                    + " when they restart: there can be two leaders, whose tokens never repeat, so that a fence tells them apart";
    private static final int LOOKS_MAX = 20;

    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** The number of a version is at least the server's clock, so that it grows over a deletion. */
    private static final int NUMBERS_PER_MILLI_BITS = 12;

    private final RedisSettings settings;
    private final List<LockServer> servers;
    private final Duration pause;
    private final LeaseStore tokens;
    private final Host host;

    /** @param pause for how long a server that restarted does not count; no TTL may be longer */
    RedlockStore(RedisSettings settings, Duration pause, LeaseStore tokens, Host host) {
        this.settings = settings;
        this.servers = settings.each().stream()
                .map(one -> new LockServer(one, pause, host))
                .toList();
        this.pause = pause;
        this.tokens = tokens;
        this.host = host;
    }

    @Override
    public BackendTraits traits() {
        return BackendTraits.of(settings.toString())
                .grade(Grade.D, REASON)
                .scope(Scope.CLUSTER)
                .ttl(Duration.ofSeconds(1), pause)
                .expiry(BackendTraits.ExpiryDetection.SERVER_TIME)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .members(servers.size())
                .build();
    }

    @Override
    public LeaseStore tokenStore() {
        return tokens;
    }

    /** Those that answered last time come first, in the order of the URL, which should be the same for all clients. */
    private List<LockServer> inOrder() {
        return servers.stream()
                .sorted(Comparator.comparing(LockServer::isDoubtful))
                .toList();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return settle(key);
    }

    private CompletableFuture<Versioned> settle(String key) {
        Votes<Versioned> votes = new Votes<>(servers.size(), servers.size(), host);
        return votes.ask(servers, server -> server.call(store -> store.read(key)), RedlockStore::agreed)
                .thenCompose(agreed -> {
                    if (agreed.isPresent()) {
                        refill(agreed.get(), votes);
                        return CompletableFuture.completedFuture(agreed.get());
                    }
                    Versioned newest = votes.all().stream()
                            .max(Comparator.comparing(LockServer::number))
                            .orElseThrow();
                    return complete(newest).thenApply(done -> newest);
                });
    }

    /** The record that a majority has; of what they say of its life, the longest. */
    private static Optional<Versioned> agreed(Votes<Versioned> votes) {
        return votes.counted().stream()
                .filter(record -> votes.isMajority(other -> other.version().equals(record.version()), 0))
                .max(Comparator.comparing(record -> record.life().orElse(Duration.ZERO)));
    }

    /** A server that lost its data gets back what others rely on. Sessions are renewed, and requests may go at any time. */
    private void refill(Versioned agreed, Votes<Versioned> votes) {
        if (agreed.isPresent() && !agreed.key().startsWith("s") && !agreed.key().startsWith("o")) {
            CompletableFuture<Void> refilled = votes.whenAllAnswered().thenCompose(all -> {
                boolean lacking =
                        all.stream().anyMatch(one -> LockServer.number(one).compareTo(LockServer.number(agreed)) < 0);
                return lacking ? complete(agreed) : CompletableFuture.completedFuture(null);
            });
            Stages.ignore("bringing a server up to date", refilled);
        }
    }

    /** Afterwards a majority has this record or a newer one. */
    private CompletableFuture<Void> complete(Versioned record) {
        if (!record.isPresent()) {
            return CompletableFuture.completedFuture(null);
        }
        Optional<Duration> life = record.life().map(left -> left.isZero() ? Duration.ofMillis(1) : left);
        String version = record.version().orElseThrow();
        Change write = new Change(
                version, false, (store, there) -> store.write(new Write(there, record.value(), life, 0), version));
        return spread(write, Versioned.absent(record.key(), 0), servers, 0).thenAccept(made -> {
            if (!made) {
                throw unknown("two clients change " + record.key() + " at once");
            }
        });
    }

    /** @param made by how many it is made already */
    private CompletableFuture<Boolean> spread(Change change, Versioned expected, List<LockServer> to, int made) {
        Votes<Boolean> votes = new Votes<>(servers.size(), to.size(), host);
        return votes.ask(
                        to,
                        server -> server.follow(change, expected),
                        all -> Optional.of(true).filter(yes -> all.isMajority(follows -> follows, made)))
                .thenApply(Optional::isPresent);
    }

    /** Whatever a majority has is in one of the answers of any majority. */
    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        Votes<List<Versioned>> votes = new Votes<>(servers.size(), servers.size(), host);
        return votes.ask(
                        servers,
                        server -> server.call(store -> store.list(prefix)),
                        all -> Optional.of(all.counted()).filter(some -> all.isMajority(any -> true, 0)))
                .thenCompose(lists -> {
                    List<CompletableFuture<Versioned>> records = lists.orElseThrow().stream()
                            .flatMap(List::stream)
                            .map(Versioned::key)
                            .distinct()
                            .map(this::settle)
                            .toList();
                    return CompletableFuture.allOf(records.toArray(CompletableFuture[]::new))
                            .thenApply(done -> records.stream()
                                    .map(CompletableFuture::join)
                                    .filter(Versioned::isPresent)
                                    .toList());
                });
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        Versioned before = write.expected();
        long byClock = before.clockMillis() << NUMBERS_PER_MILLI_BITS;
        long number = before.isPresent()
                ? Math.max(byClock, HexFormat.fromHexDigitsToLong(LockServer.number(before)) + 1)
                : byClock;
        String version = HexFormat.of().toHexDigits(number) + HexFormat.of().toHexDigits(host.random());
        Change change = new Change(
                version,
                false,
                (store, there) -> store.write(new Write(there, write.value(), write.timeToLive(), 0), version));
        return decide(inOrder(), change, before, Optional.empty());
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        Change change = new Change(expected.version().orElse(""), true, RedisStore::delete);
        return decide(inOrder(), change, expected, Optional.empty());
    }

    /** @param doubt why a server that was asked before may have made the change, if one may */
    private CompletableFuture<WriteReply> decide(
            List<LockServer> order, Change change, Versioned expected, Optional<String> doubt) {
        LockServer first = order.get(0);
        return first.call(store -> change.at(store, expected))
                .handle((reply, failure) -> new Answer(Optional.ofNullable(reply), Optional.ofNullable(failure)))
                .thenCompose(answer -> {
                    if (answer.reply.isPresent()) {
                        return decided(first, answer.reply.get(), change, expected, doubt);
                    }
                    if (order.size() == 1) {
                        throw unknown(String.valueOf(answer.failure.orElseThrow()));
                    }
                    // It may have made the change. The next one is asked for the very same.
                    return decide(order.subList(1, order.size()), change, expected, doubt.or(answer::doubt));
                });
    }

    private record Answer(Optional<WriteReply> reply, Optional<Throwable> failure) {
        Optional<String> doubt() {
            return failure.filter(why -> Stages.effectOf(why) == Effect.UNKNOWN).map(String::valueOf);
        }
    }

    private CompletableFuture<WriteReply> decided(
            LockServer first, WriteReply reply, Change change, Versioned expected, Optional<String> doubt) {
        String key = expected.key();
        Versioned stands =
                reply instanceof WriteReply.Applied applied ? applied.now() : ((WriteReply.Refused) reply).current();
        if (reply instanceof WriteReply.Applied || stands.version().equals(Optional.of(change.version()))) {
            List<LockServer> others =
                    servers.stream().filter(server -> server != first).toList();
            return spread(change, expected, others, first.counts() ? 1 : 0).thenCompose(made -> {
                if (made) {
                    return CompletableFuture.completedFuture(new WriteReply.Applied(stands));
                }
                return settle(key).thenApply(now -> {
                    if (now.version().equals(stands.version())) {
                        return new WriteReply.Applied(now);
                    }
                    throw unknown("two clients change " + key + " at once");
                });
            });
        }
        // Another change came first. It is completed before anybody is told of it.
        return complete(stands)
                .thenCompose(done -> refused(expected, LOOKS_MAX))
                .thenApply(refused -> {
                    // If it stands on a server that did not answer, a later read may complete it.
                    doubt.ifPresent(why -> {
                        throw unknown(why);
                    });
                    return refused;
                });
    }

    private CompletableFuture<WriteReply> refused(Versioned expected, int looks) {
        return settle(expected.key()).thenCompose(now -> {
            if (!now.version().equals(expected.version())) {
                return CompletableFuture.completedFuture(new WriteReply.Refused(now));
            }
            if (looks > 1) { // the first server has deleted it, and the others follow
                return pause().thenCompose(over -> refused(expected, looks - 1));
            }
            return complete(now).thenApply(done -> {
                throw unknown("a server that had lost " + expected.key() + " has it again");
            });
        });
    }

    private CompletableFuture<Void> pause() {
        CompletableFuture<Void> over = new CompletableFuture<>();
        host.post(() -> host.wakeAt(host.nanos() + BETWEEN_LOOKS_NANOS, () -> over.complete(null)));
        return over;
    }

    private BackendException unknown(String why) {
        return BackendException.unknown(settings + ": " + why);
    }

    /** All publish their changes. Those of the server that changes first are enough. */
    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        List<Watch> watches = servers.stream()
                .map(server -> server.store().watch(prefix, key -> {
                    if (inOrder().get(0) == server) {
                        changedKey.accept(key);
                    }
                }))
                .toList();
        return () -> watches.forEach(Watch::close);
    }

    @Override
    public void close() {
        servers.forEach(server -> server.store().close());
        tokens.close();
    }
}
