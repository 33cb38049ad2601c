package dev.tenure.redis;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.BackendTraits.Wakeup;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/**
 * Records as fields of one hash for each kind. Every call is one script, which the server runs alone: it compares and sets, judges
 * expiry by its own clock, gives the time by which tokens grow, and publishes the key of a change.
 *
 * <p>Redis can lose acknowledged writes. A promoted replica then shows an older record of a session, or none, and core takes the session
 * for lost; claims are checked whenever the server behind a connection is another one ({@link RedisConnections}). Versions are random, so
 * that a version of before a failover never comes back with another value.
 */
class RedisStore implements ChangeTracker {
    static final String GRADE_REASON = "Redis acknowledges a write before its replicas have it, and ends leases by its wall clock: a"
            + " failover or a clock that jumps can make two leaders";

    private static final int CALLS_AT_ONCE_MAX = 3;
    private static final HexFormat HEX = HexFormat.of();
    private static final Duration TTL_MIN = Duration.ofSeconds(1);
    private static final Duration TTL_MAX = Duration.ofHours(1);

    private final RedisSettings settings;
    private final Host host;
    private final RedisConnections connections;
    private final WatchRegistry<KeyWatcher> watchers = new WatchRegistry<>();
    private final ChangeSubscriber subscriber;
    /** Renewals do not wait for the calls of thousands of elections. */
    private final BlockingCalls renewals;

    private final BlockingCalls calls;

    RedisStore(RedisSettings settings, Host host) {
        this.settings = settings;
        this.host = host;
        this.connections = new RedisConnections(settings, () -> watchers.tell(KeyWatcher::anyChanged));
        this.subscriber =
                new ChangeSubscriber(connections, settings.records().channel(), watchers, host);
        this.renewals = new BlockingCalls(host.io(), 1);
        this.calls = new BlockingCalls(host.io(), CALLS_AT_ONCE_MAX);
    }

    @Override
    public BackendTraits traits() {
        return BackendTraits.of(settings.shown())
                .grade(Grade.D, GRADE_REASON)
                .scope(Scope.CLUSTER)
                .ttl(TTL_MIN, TTL_MAX)
                .expiry(ExpiryJudge.SERVER_TIME)
                .tokens(TokenSource.COUNTER)
                .wakeup(Wakeup.WATCH)
                .build();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return calls.call(() -> {
            List<Object> reply = connections.use(Effect.NONE, server -> run(Script.READ, server, key, List.of(key)));
            return record(key, clock(reply), (String) reply.get(1));
        });
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return calls.call(() -> {
            List<Object> reply =
                    connections.use(Effect.NONE, server -> run(Script.LIST, server, prefix, List.of(prefix)));
            List<Versioned> found = new ArrayList<>();
            for (int i = 1; i < reply.size(); i += 2) {
                found.add(record((String) reply.get(i), clock(reply), (String) reply.get(i + 1)));
            }
            return found;
        });
    }

    @Override
    public CompletionStage<Changes> changedSince(Optional<String> mark) {
        return calls.call(() -> {
            List<Object> reply = connections.use(
                    Effect.NONE, server -> run(Script.CHANGES, server, "e", List.of(mark.orElse(""))));
            List<String> keys =
                    reply.stream().skip(2).map(String.class::cast).toList();
            boolean known = (Long) reply.get(1) == 1;
            return new Changes((String) reply.get(0), known ? Optional.of(keys) : Optional.empty());
        });
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        if (write.timeToLive().isEmpty()) {
            return calls.call(() -> connections.use(Effect.UNKNOWN, server -> {
                WriteReply reply = write(server, write);
                if (write.issues() > 0 && reply instanceof WriteReply.Applied applied) {
                    awaitCopies(server, write, applied.now());
                }
                return reply;
            }));
        }
        subscriber.check();
        return renewals.call(() -> connections.use(Effect.UNKNOWN, server -> write(server, write)));
    }

    private WriteReply write(Jedis server, Write write) {
        String timeToLive = Long.toString(write.timeToLive().map(Duration::toMillis).orElse(0L));
        String channel = write.timeToLive().isPresent() ? "" : settings.records().channel();
        List<String> arguments =
                List.of(write.key(), version(write.expected()), freshVersion(), write.value(), timeToLive, channel);
        return outcome(write.key(), run(Script.WRITE, server, write.key(), arguments));
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        return calls.call(() -> connections.use(Effect.UNKNOWN, server -> delete(server, expected)));
    }

    private WriteReply delete(Jedis server, Versioned expected) {
        List<String> arguments =
                List.of(expected.key(), version(expected), settings.records().channel());
        return outcome(expected.key(), run(Script.DELETE, server, expected.key(), arguments));
    }

    /** A claim that too few copies have is taken back, as far as that is possible, and its outcome is unknown. */
    private void awaitCopies(Jedis server, Write write, Versioned written) {
        RedisSettings.Records wanted = settings.records();
        long waitMillis = settings.client().getSocketTimeoutMillis() / 2;
        boolean enough = true;
        if (wanted.aof() > 0) {
            var synced = server.waitAOF(wanted.aof(), wanted.replicas(), waitMillis);
            enough = synced.getKey() >= wanted.aof() && synced.getValue() >= wanted.replicas();
        } else if (wanted.replicas() > 0) {
            enough = server.waitReplicas(wanted.replicas(), waitMillis) >= wanted.replicas();
        }
        if (!enough) {
            if (write.expected().isPresent()) {
                write(server, new Write(written, write.expected().value(), Optional.empty(), 0));
            } else {
                delete(server, written);
            }
            throw new BackendException(
                    Effect.UNKNOWN,
                    Kind.UNREACHABLE,
                    settings + ": a claim was not copied in time as ?replicas= and ?aof= demand, and was taken back");
        }
    }

    private List<Object> run(Script script, Jedis server, String record, List<String> arguments) {
        return script.run(server, settings.records().keys(record), arguments);
    }

    private static WriteReply outcome(String key, List<Object> reply) {
        Versioned stands = record(key, clock(reply), (String) reply.get(2));
        return (Long) reply.get(1) == 1 ? new WriteReply.Applied(stands) : new WriteReply.Refused(stands);
    }

    private static long clock(List<Object> reply) {
        return Long.parseLong((String) reply.get(0));
    }

    /** @param stored version, end of its life or 0, and value */
    private static Versioned record(String key, long clockMillis, @Nullable String stored) {
        if (stored == null) {
            return Versioned.absent(key, clockMillis);
        }
        String[] parts = stored.split(" ", 3);
        if (parts.length != 3) {
            throw new BackendException(
                    Effect.NONE, Kind.CORRUPT, "record " + key + " was not written by Tenure: remove it");
        }
        long endMillis = Long.parseLong(parts[1]);
        Optional<Duration> life = endMillis == 0
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(Math.max(0, endMillis - clockMillis)));
        return new Versioned(key, Optional.of(parts[0]), parts[2], life, clockMillis);
    }

    private static String version(Versioned expected) {
        return expected.version().orElse("");
    }

    /** Random, so that it does not come back after a deletion, or after a failover that lost writes. */
    private String freshVersion() {
        return HEX.toHexDigits(host.random()) + HEX.toHexDigits(host.random());
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        Watch watch = watchers.add(new KeyWatcher(prefix, changedKey));
        subscriber.start();
        return watch;
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
            return super.traits()
                    .change()
                    .grade(Grade.D, GRADE_REASON + " (their tokens never repeat, so that a fence tells them apart)")
                    .build();
        }

        @Override
        public void close() {
            super.close();
            tokens.close();
        }
    }

    @Override
    public void close() {
        renewals.close();
        calls.close();
        subscriber.close();
        watchers.close();
        connections.close();
    }
}
