package dev.tenure.redis;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.exceptions.JedisDataException;

/** What went wrong, in sentences that say what to do. */
final class RedisErrors {
    /** @param part of what the server or the client said */
    private record Known(String part, Kind kind, String sentence) {}

    private static final List<Known> ALL = List.of(
            new Known("NOAUTH", Kind.MISCONFIGURED, "the server wants a password: write //USER:PASSWORD@HOST, or add ?password.file=FILE"),
            new Known("WRONGPASS", Kind.MISCONFIGURED, "the server does not accept this user with this password"),
            new Known("user executing the script", Kind.MISCONFIGURED, "the user lacks a right that docs/backends/redis.md lists"),
            new Known("NOPERM", Kind.MISCONFIGURED, "the user lacks a right that docs/backends/redis.md lists"),
            new Known("WRONGTYPE", Kind.CORRUPT, "keys of something else begin as those of this store do: choose another ?prefix="),
            new Known("READONLY", Kind.UNREACHABLE, "the server has become a replica, and its primary is looked for"),
            new Known("OOM", Kind.UNREACHABLE, "the server has no memory left: raise maxmemory, or remove something"),
            new Known("BUSY", Kind.UNREACHABLE, "the server is busy with a script: end that with SCRIPT KILL"),
            new Known("appendonly", Kind.MISCONFIGURED, "?aof=1 needs a server with appendonly yes"),
            new Known("unknown command", Kind.MISCONFIGURED, "the server is too old for an option of the store URL"),
            new Known("DB index", Kind.MISCONFIGURED, "the server has no such database: write another one behind the host, such as /0"),
            new Known("SSL message", Kind.MISCONFIGURED, "the server does not speak TLS: write redis:// instead of rediss://"),
            new Known("ertificat", Kind.MISCONFIGURED, "the server is not trusted: its certificate must name this host, and ?tls.ca=FILE its authority"),
            new Known("handshake", Kind.UNREACHABLE, "the server ended the handshake: it may not speak TLS (write redis://), or want ?tls.cert=FILE"),
            new Known("end of stream", Kind.UNREACHABLE, "the server closed the connection: it may want TLS (rediss://), or has too many clients"));

    private final RedisSettings settings;

    RedisErrors(RedisSettings settings) {
        this.settings = settings;
    }

    /** A server that refuses a command has changed nothing, because each script writes with its last one. */
    BackendException of(RuntimeException failure, Effect unanswered) {
        if (failure instanceof BackendException known) {
            return known;
        }
        String said = Stream.<Throwable>iterate(failure, cause -> cause != null, Throwable::getCause)
                .map(cause -> String.valueOf(cause.getMessage()))
                .distinct()
                .collect(Collectors.joining(": "));
        Known known = ALL.stream()
                .filter(one -> said.contains(one.part))
                .findFirst()
                .orElse(new Known("", Kind.UNREACHABLE, "the server does not answer as it should"));
        Effect effect = failure instanceof JedisDataException ? Effect.NONE : unanswered;
        return new BackendException(
                effect, known.kind, settings + ": " + known.sentence + " (" + said + ")", failure);
    }

    BackendException unusable(Kind kind, String sentence) {
        return new BackendException(Effect.NONE, kind, settings + ": " + sentence);
    }
}
