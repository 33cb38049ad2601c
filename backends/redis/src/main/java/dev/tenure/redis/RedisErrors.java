package dev.tenure.redis;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisDataException;

/** What went wrong, in sentences that say what to do. */
final class RedisErrors {
    private static final String PAGE = "docs/backends/redis.md";

    private final RedisSettings settings;

    RedisErrors(RedisSettings settings) {
        this.settings = settings;
    }

    /** The server has refused a command: each script writes with its last one, so that nothing was changed. */
    BackendException refused(JedisDataException reply) {
        String said = String.valueOf(reply.getMessage());
        String code = said.split(" ", 2)[0];
        return switch (code) {
            case "NOAUTH" ->
                misconfigured("the server wants a password: write " + example("USER:PASSWORD@") + ", or add ?password.file=FILE", reply);
            case "WRONGPASS" -> misconfigured("the server does not accept user '" + settings.user() + "' with this password", reply);
            case "NOPERM" ->
                misconfigured("user '" + settings.user() + "' lacks a right that " + PAGE + " lists: " + said, reply);
            case "WRONGTYPE" ->
                new BackendException(
                        Effect.NONE,
                        Kind.CORRUPT,
                        settings + ": the keys that begin with {" + settings.records().prefix()
                                + "} belong to something else: choose another ?prefix=",
                        reply);
            case "READONLY", "MASTERDOWN" -> unreachable("the server has become a replica; its primary is looked for", reply);
            case "OOM" -> unreachable("the server has no memory left for writes: raise maxmemory, or remove something", reply);
            case "BUSY" ->
                unreachable("the server is busy with a script of somebody: end it with SCRIPT KILL or FUNCTION KILL", reply);
            case "NOREPLICAS" -> unreachable("the primary has fewer replicas than min-replicas-to-write demands", reply);
            case "MISCONF" -> unreachable("the server cannot save to its disk, and therefore does not write", reply);
            case "LOADING" -> unreachable("the server is still loading its data", reply);
            case "CLUSTERDOWN", "MOVED", "ASK", "TRYAGAIN" -> unreachable("the cluster has no node for these keys now: " + said, reply);
            default -> otherwise(said, reply);
        };
    }

    private BackendException otherwise(String said, JedisDataException reply) {
        if (said.contains("without any password configured")) {
            return misconfigured("the server has no password, and the store URL has one: leave it out", reply);
        }
        if (said.contains("WAITAOF") && said.contains("appendonly")) {
            return misconfigured("?aof=1 needs a server with appendonly yes", reply);
        }
        if (said.startsWith("ERR unknown command")) {
            return misconfigured("the server lacks a command: " + said, reply);
        }
        if (said.contains("DB index is out of range") || said.contains("SELECT is not allowed")) {
            return misconfigured("the server has no database " + settings.records().database() + ": write another one behind the"
                    + " host, such as /0", reply);
        }
        return unreachable("the server refused a command: " + said, reply);
    }

    /** There is no connection, so that nothing was sent. */
    BackendException notConnected(HostAndPort server, RuntimeException why) {
        if (why instanceof JedisDataException reply) {
            return refused(reply);
        }
        @Nullable Throwable tls = causeOf(why, SSLException.class);
        if (tls != null) {
            String said = String.valueOf(tls.getMessage());
            if (said.contains("Unsupported or unrecognized SSL message")) {
                return misconfigured(server + " does not speak TLS: write redis:// instead of rediss://", why);
            }
            @Nullable Throwable certificate = causeOf(why, CertificateException.class);
            String reason = String.valueOf((certificate == null ? tls : certificate).getMessage());
            return misconfigured(server + " is not trusted (" + reason + "): its certificate must name this host, and"
                    + " ?tls.ca=FILE must name its authority", why);
        }
        Throwable root = why;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (String.valueOf(root.getMessage()).contains("Unexpected end of stream")) {
            return unreachable(server + " closes the connection: it may want TLS (rediss://), or has too many clients", why);
        }
        return unreachable(server + " does not answer (" + root.getMessage() + ")", why);
    }

    private static @Nullable Throwable causeOf(Throwable failure, Class<? extends Throwable> wanted) {
        @Nullable Throwable found = failure;
        while (found != null && !wanted.isInstance(found)) {
            found = found.getCause();
        }
        return found;
    }

    BackendException broken(RuntimeException why, Effect effect) {
        return new BackendException(
                effect, Kind.UNREACHABLE, settings + ": the server did not answer (" + why.getMessage() + ")", why);
    }

    BackendException tooOld(String version) {
        return misconfigured("the server is Redis " + version + ", and Tenure needs 6.2 or newer, or Valkey", null);
    }

    BackendException evicting() {
        return misconfigured("the server removes any key when its memory is full: set maxmemory-policy to noeviction or to one"
                + " that begins with volatile-", null);
    }

    BackendException noPrimary(String why) {
        return unreachable(why, null);
    }

    private BackendException misconfigured(String sentence, @Nullable RuntimeException cause) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, settings + ": " + sentence, cause);
    }

    private BackendException unreachable(String sentence, @Nullable RuntimeException cause) {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, settings + ": " + sentence, cause);
    }

    private String example(String login) {
        return settings.shown().split("://", 2)[0] + "://" + login + "HOST";
    }
}
