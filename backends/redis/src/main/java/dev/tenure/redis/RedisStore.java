// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ChangeTracker;
import dev.tenure.spi.ExternalTokens;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.BlockingCalls;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Records as fields of one hash for each kind. Every call is one script, which the server runs alone: it compares and sets, judges
 * expiry by its own clock, gives the time by which tokens grow, and publishes the key of a change.
 *
 * <p>Redis can lose acknowledged writes. A promoted replica then shows an older record of a session, or none, and core takes the session
 * for lost; claims are checked whenever another server answers ({@link RedisConnections}). Versions are random, so that one of before a
 * failover never comes back with another value.
 */
public class RedisStore implements ChangeTracker {
    private static final String REASON =
            "Redis acknowledges a write before its replicas have it, and ends leases by its wall clock:"
                    + " a failover or a clock that jumps can make two leaders";
    private static final LuaScript READ = LuaScript.named("read");
    private static final LuaScript LIST = LuaScript.named("list");
    private static final LuaScript WRITE = LuaScript.named("write");
    private static final LuaScript DELETE = LuaScript.named("delete");
    private static final LuaScript CHANGES = LuaScript.named("changes");

    private final RedisSettings settings;
    private final RedisSettings.Records records;
    private final Host host;
    private final RedisConnections connections;
    private final WatchRegistry<KeyWatcher> watchers = new WatchRegistry<>();
    private final ChangeSubscriber subscriber;
    private final AtomicBoolean subscribed = new AtomicBoolean();
    /** Renewals do not wait for the calls of thousands of elections, nor for a server that stands still: all have own threads. */
    private final BlockingCalls renewals;

    private final BlockingCalls calls;

    RedisStore(RedisSettings settings, Host host) {
        this(settings, host, seconds -> {});
    }

    /** @param replaced is told for how many seconds the server runs, when another one answers or it was started anew */
    public RedisStore(RedisSettings settings, Host host, LongConsumer replaced) {
        this.settings = settings;
        this.records = settings.records();
        this.host = host;
        this.connections = new RedisConnections(settings, uptimeSeconds -> {
            replaced.accept(uptimeSeconds);
            watchers.publish(KeyWatcher::anyChanged);
        });
        this.subscriber = new ChangeSubscriber(connections, records.channel(), watchers, host);
        Executor threads = work -> host.runDuty("tenure-redis", work);
        this.renewals = new BlockingCalls(threads, 1);
        this.calls = new BlockingCalls(threads, 3);
    }

    @Override
    public BackendTraits traits() {
        return BackendTraits.of(settings.shown())
                .grade(Grade.D, REASON)
                .scope(Scope.CLUSTER)
                .ttl(Duration.ofSeconds(1), Duration.ofHours(1))
                .expiry(BackendTraits.ExpiryDetection.SERVER_TIME)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .build();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return calls.call(() -> {
            List<Object> reply = connections.use(Effect.NONE, server -> run(READ, server, key, key));
            return record(key, reply, 1);
        });
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return calls.call(() -> {
            List<Object> reply = connections.use(Effect.NONE, server -> run(LIST, server, prefix, prefix));
            List<Versioned> found = new ArrayList<>();
            for (int i = 1; i < reply.size(); i += 2) {
                found.add(record((String) reply.get(i), reply, i + 1));
            }
            return found;
        });
    }

    @Override
    public CompletionStage<Changes> changedSince(Optional<String> mark) {
        return calls.call(() -> {
            List<Object> reply = connections.use(Effect.NONE, server -> run(CHANGES, server, "e", mark.orElse("")));
            List<String> keys = reply.stream().skip(2).map(String.class::cast).toList();
            return new Changes((String) reply.get(0), Optional.of(keys).filter(known -> (Long) reply.get(1) == 1));
        });
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        // Random, so that it does not come back after a deletion, or after a failover that lost writes.
        return write(write, hex(host.random()) + hex(host.random()));
    }

    /** The same under a version that the caller chooses, which must never come back. */
    public CompletionStage<WriteReply> write(Write write, String version) {
        if (write.timeToLive().isPresent()) {
            return renewals.call(() -> {
                subscriber.check();
                return connections.use(Effect.UNKNOWN, server -> write(server, write, version));
            });
        }
        return calls.call(() -> connections.use(Effect.UNKNOWN, server -> {
            WriteReply reply = write(server, write, version);
            if (write.issues() > 0 && reply instanceof WriteReply.Applied applied) {
                requireCopied(server, write.expected(), applied.now());
            }
            return reply;
        }));
    }

    private static String hex(long number) {
        return HexFormat.of().toHexDigits(number);
    }

    private WriteReply write(Jedis server, Write write, String version) {
        long lifeMillis = write.timeToLive().map(Duration::toMillis).orElse(0L);
        String expected = write.expected().version().orElse("");
        String channel = lifeMillis > 0 ? "" : records.channel();
        String life = Long.toString(lifeMillis);
        return outcome(
                write.key(),
                run(WRITE, server, write.key(), write.key(), expected, version, write.value(), life, channel));
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        return calls.call(() -> connections.use(Effect.UNKNOWN, server -> delete(server, expected)));
    }

    private WriteReply delete(Jedis server, Versioned expected) {
        String version = expected.version().orElse("");
        return outcome(expected.key(), run(DELETE, server, expected.key(), expected.key(), version, records.channel()));
    }

    /** The claim is written: from here on, no refusal of the server means that nothing happened. */
    private void requireCopied(Jedis server, Versioned before, Versioned written) {
        try {
            if (!isCopied(server)) {
                takeBack(server, before, written);
            }
        } catch (JedisDataException refused) {
            throw new JedisException(refused.getMessage(), refused);
        }
    }

    /** Is a claim where the URL wants it? */
    private boolean isCopied(Jedis server) {
        long waitMillis = settings.client().getSocketTimeoutMillis() / 2;
        if (records.aof() > 0) {
            var synced = server.waitAOF(records.aof(), records.replicas(), waitMillis);
            return synced.getKey() >= records.aof() && synced.getValue() >= records.replicas();
        }
        return records.replicas() == 0 || server.waitReplicas(records.replicas(), waitMillis) >= records.replicas();
    }

    /** If this fails, the claim stands, and is found by a later attempt: so its outcome is unknown. */
    private void takeBack(Jedis server, Versioned before, Versioned written) {
        if (before.isPresent()) {
            write(
                    server,
                    new Write(written, before.value(), Optional.empty(), 0),
                    hex(host.random()) + hex(host.random()));
        } else {
            delete(server, written);
        }
        throw BackendException.unknown(
                settings + ": a claim was not copied in time as ?replicas= and ?aof= demand, and was taken back");
    }

    private List<Object> run(LuaScript script, Jedis server, String record, String... arguments) {
        return script.run(server, records.keys(record), List.of(arguments));
    }

    private static WriteReply outcome(String key, List<Object> reply) {
        Versioned stands = record(key, reply, 2);
        return (Long) reply.get(1) == 1 ? new WriteReply.Applied(stands) : new WriteReply.Refused(stands);
    }

    /** The server's clock comes first. At this place: version, end of its life or 0, and value, or nothing. */
    private static Versioned record(String key, List<Object> reply, int place) {
        long clockMillis = Long.parseLong((String) reply.get(0));
        @Nullable String stored = (String) reply.get(place);
        if (stored == null) {
            return Versioned.absent(key, clockMillis);
        }
        String[] parts = stored.split(" ", 3);
        if (parts.length != 3 || !parts[1].matches("[0-9]{1,18}")) {
            throw BackendException.corrupt("record " + key + " was not written by Tenure: remove it");
        }
        long endMillis = Long.parseLong(parts[1]);
        Duration left = Duration.ofMillis(Math.max(0, endMillis - clockMillis));
        Optional<Duration> life = endMillis == 0 ? Optional.empty() : Optional.of(left);
        return new Versioned(key, Optional.of(parts[0]), parts[2], life, clockMillis);
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        if (subscribed.compareAndSet(false, true)) {
            host.runDuty("tenure-subscribe", subscriber::subscribeUntilClosed);
        }
        return watchers.add(new KeyWatcher(prefix, changedKey));
    }

    @Override
    public void close() {
        renewals.close();
        calls.close();
        subscriber.close();
        watchers.close();
        connections.close();
    }

    /** With tokens that survive what Redis loses. */
    static final class WithTokens extends RedisStore implements ExternalTokens {
        private final LeaseStore tokens;

        WithTokens(RedisSettings settings, LeaseStore tokens, Host host) {
            super(settings, host);
            this.tokens = tokens;
        }

        @Override
        public LeaseStore tokenStore() {
            return tokens;
        }

        @Override
        public BackendTraits traits() {
            String reason = REASON + ", whose tokens never repeat, so that a fence tells them apart";
            return super.traits().change().grade(Grade.D, reason).build();
        }

        @Override
        public void close() {
            super.close();
            tokens.close();
        }
    }
}
