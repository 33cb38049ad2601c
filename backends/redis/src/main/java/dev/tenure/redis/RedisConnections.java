// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/**
 * Connections to the primary, one per call at a time. When a call fails, all of them are closed, those in use when their call
 * ends, and the next call looks for the primary again: it asks the sentinels, goes where a cluster sends it, or tries the servers
 * of the URL in turn. Any thread.
 */
final class RedisConnections {
    private static final int REDIRECTIONS_MAX = 3;
    /** What is said, the kind of trouble, and what people are told. */
    private static final List<String[]> KNOWN = LuaScript.text("errors.txt")
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" \\| ", 3))
            .toList();

    private static final String[] UNKNOWN = {"", Kind.UNREACHABLE.name(), "the server does not answer as it should"};
    private static final Pattern TOO_OLD = Pattern.compile("[1-5]\\..*|6\\.[01]\\..*");
    private static final String EVICTS =
            "the server removes any key when its memory is full: set maxmemory-policy to noeviction, or"
                    + " to one that begins with volatile-";
    private static final String REPLICA =
            "the server is a replica: name its primary, or the sentinels and ?sentinel=NAME";

    private final RedisSettings settings;
    private final LongConsumer replaced;
    private final Deque<Jedis> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile Optional<HostAndPort> redirected = Optional.empty();
    private volatile boolean closed;
    /** Another one says that writes may be lost: of another process, or of one that was a replica meanwhile. */
    private volatile String history = "";

    /** @param replaced another server answers from now on, or one that may have lost writes: for how many seconds it runs */
    RedisConnections(RedisSettings settings, LongConsumer replaced) {
        this.settings = settings;
        this.replaced = replaced;
    }

    /** @param unanswered what the call may have done if no answer comes */
    <T> T use(Effect unanswered, Function<Jedis, T> call) {
        for (int redirections = 0; ; redirections++) {
            int before = failures.get();
            Jedis connection = Optional.ofNullable(idle.poll()).orElseGet(this::open);
            try {
                T reply = call.apply(connection);
                idle.push(connection);
                if (closed || failures.get() != before) {
                    endIdle(); // this one too may be to a server that is no primary any more
                }
                return reply;
            } catch (RuntimeException failure) {
                end(connection);
                failures.incrementAndGet();
                endIdle();
                if (!(failure instanceof JedisMovedDataException moved) || redirections == REDIRECTIONS_MAX) {
                    throw error(failure, unanswered);
                }
                redirected = Optional.of(moved.getTargetNode()); // nothing was executed here
            }
        }
    }

    private void endIdle() {
        for (@Nullable Jedis next = idle.poll(); next != null; next = idle.poll()) {
            end(next);
        }
    }

    static void end(Jedis connection) {
        try {
            connection.getConnection().forceDisconnect();
        } catch (JedisException | IOException gone) {
            // There is nothing left to free.
        }
    }

    /** A connection to the primary, for a caller that keeps it. */
    Jedis open() {
        BackendException why = unusable(Kind.UNREACHABLE, "none of the servers is a primary");
        for (HostAndPort server : candidates()) {
            try {
                return checked(new Jedis(server, settings.client()));
            } catch (RuntimeException failure) {
                why = error(opening(failure), Effect.NONE);
            }
        }
        redirected = Optional.empty();
        throw why;
    }

    private Jedis checked(Jedis connection) {
        try {
            check(connection.info());
        } catch (JedisAccessControlException notAllowed) {
            replaced.accept(0); // it may be another server, for all that is known
        } catch (RuntimeException unusable) {
            end(connection);
            throw unusable;
        }
        return connection;
    }

    private void check(String info) {
        String version = fact(info, "redis_version");
        if (TOO_OLD.matcher(version).matches()) {
            throw unusable(
                    Kind.MISCONFIGURED, "the server is Redis " + version + ": Tenure needs 6.2 or newer, or Valkey");
        }
        // Records have no time to live in Redis, so that policies with "volatile" leave them alone.
        if (!fact(info, "maxmemory").equals("0")
                && fact(info, "maxmemory_policy").startsWith("allkeys")) {
            throw unusable(Kind.MISCONFIGURED, EVICTS);
        }
        // The node of a cluster says by itself where the primary is.
        if (fact(info, "role").equals("slave") && !fact(info, "cluster_enabled").equals("1")) {
            throw unusable(Kind.UNREACHABLE, REPLICA);
        }
        String now = fact(info, "run_id") + fact(info, "master_replid");
        if (!history.equals(now)) {
            String uptime = fact(info, "uptime_in_seconds");
            replaced.accept(uptime.matches("[0-9]{1,18}") ? Long.parseLong(uptime) : 0);
            // Last, so that no other connection is used before it is known that the server was replaced.
            history = now;
        }
    }

    private static String fact(String info, String name) {
        Matcher fact = Pattern.compile("(?m)^" + name + ":(.*?)\\r?$").matcher(info);
        return fact.find() ? fact.group(1) : "";
    }

    private Set<HostAndPort> candidates() {
        if (settings.sentinel().isPresent()) {
            return Set.of(askSentinels(settings.sentinel().get()));
        }
        Set<HostAndPort> all = new LinkedHashSet<>();
        redirected.ifPresent(all::add);
        all.addAll(settings.servers());
        return all;
    }

    private HostAndPort askSentinels(RedisSettings.Sentinel sentinel) {
        BackendException why = unusable(
                Kind.MISCONFIGURED,
                "no sentinel knows '" + sentinel.master()
                        + "': write the name that 'sentinel monitor' gives the primary");
        for (HostAndPort server : settings.servers()) {
            try (Jedis connection = new Jedis(server, sentinel.client())) {
                List<String> address = connection.sentinelGetMasterAddrByName(sentinel.master());
                if (address != null) {
                    return new HostAndPort(address.get(0), Integer.parseInt(address.get(1)));
                }
            } catch (JedisException failure) {
                why = error(failure, Effect.NONE);
            }
        }
        throw why;
    }

    /** A server that does not speak TLS waits for the end of what it takes for a command. */
    private RuntimeException opening(RuntimeException failure) {
        boolean silent = settings.client().isSsl()
                && !(failure instanceof BackendException)
                && all(failure).anyMatch(SocketTimeoutException.class::isInstance)
                && all(failure).noneMatch(ConnectException.class::isInstance);
        return silent ? new JedisException("silent over TLS", failure) : failure;
    }

    /** A server that refuses a command has changed nothing, because each script writes with its last one. */
    private BackendException error(RuntimeException failure, Effect unanswered) {
        if (failure instanceof BackendException told) {
            return told;
        }
        String said = all(failure)
                .map(cause -> String.valueOf(cause.getMessage()))
                .distinct()
                .collect(Collectors.joining(": "));
        String[] known = KNOWN.stream()
                .filter(line -> said.contains(line[0]))
                .findFirst()
                .orElse(UNKNOWN);
        Effect effect = failure instanceof JedisDataException ? Effect.NONE : unanswered;
        return new BackendException(
                effect, Kind.valueOf(known[1]), settings + ": " + known[2] + " (" + said + ")", failure);
    }

    /** The client hides the reason of a failed connection among the suppressed ones. */
    private static Stream<Throwable> all(Throwable failure) {
        Stream<Throwable> inner =
                Stream.concat(Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()));
        return Stream.concat(Stream.of(failure), inner.flatMap(RedisConnections::all));
    }

    private BackendException unusable(Kind kind, String sentence) {
        return new BackendException(Effect.NONE, kind, settings + ": " + sentence);
    }

    /** Connections that are in use are closed when they come back. */
    void close() {
        closed = true;
        endIdle();
    }
}
