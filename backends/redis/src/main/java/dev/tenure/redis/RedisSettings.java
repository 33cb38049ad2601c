// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.StoreUrl.Login;
import dev.tenure.spi.support.TlsFiles;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLParameters;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/**
 * A store URL, read.
 *
 * @param shown the URL as people may see it
 * @param servers the server, some nodes of a cluster, or the sentinels
 */
public record RedisSettings(
        String shown,
        List<HostAndPort> servers,
        Optional<Sentinel> sentinel,
        JedisClientConfig client,
        Records records) {
    private static final String EXAMPLE = "redis://host:6379, or redis://s1,s2,s3?sentinel=NAME";
    private static final Set<String> OPTIONS =
            Set.of("prefix", "timeout", "sentinel", "sentinel.auth", "replicas", "aof", "tokens");
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    /** @param master the name that the sentinels have for the primary */
    public record Sentinel(String master, JedisClientConfig client) {}

    /** Where records are, and on how many replicas and disks a claim must be. */
    public record Records(String prefix, int database, int replicas, int aof) {
        /** All have one hash tag, so that they are on one node of a cluster, and one script can use them. */
        List<String> keys(String record) {
            String tag = "{" + prefix + "}:";
            return List.of(tag + record.charAt(0), tag + "count", tag + "changes");
        }

        /** Channels are the same in all databases of a server. */
        String channel() {
            return "{" + prefix + "}:changed:" + database;
        }
    }

    static RedisSettings of(BackendUrl url) {
        return of(url, EXAMPLE, OPTIONS);
    }

    /**
     * Reads a URL.
     *
     * @param example what such a URL looks like, for people who wrote another one
     * @param known the options that it may have, beside those for logins and TLS
     */
    public static RedisSettings of(BackendUrl url, String example, Set<String> known) {
        Map<String, String> options = new HashMap<>(url.options());
        if (url.scheme().equals("rediss")) {
            options.put("tls", "true");
        }
        StoreUrl settings = StoreUrl.of(new BackendUrl(url.scheme(), url.rest(), options), example, known);
        Optional<String> master = settings.option("sentinel");
        List<HostAndPort> servers = settings.servers(master.isPresent() ? 26_379 : 6379).stream()
                .map(server -> new HostAndPort(server.host().replaceAll("[\\[\\]]", ""), server.port()))
                .toList();
        String prefix = settings.option("prefix").orElse("tenure");
        if (!prefix.matches("[A-Za-z0-9_.:/-]{1,100}")) {
            throw StoreUrl.refused("prefix '" + prefix + "' must have 1 to 100 letters, digits or any of _ . : / -");
        }
        int database = number("database", settings.path().replaceFirst("^/", ""), 99_999);
        int replicas = number("replicas", settings.option("replicas").orElse(""), 9);
        int aof = number("aof", settings.option("aof").orElse(""), 1);
        Optional<Login> login = settings.login("default");
        Optional<Login> ofSentinels = login.filter(who -> settings.flag("sentinel.auth", false));
        return new RedisSettings(
                url.toString(),
                servers,
                master.map(name -> new Sentinel(name, client(settings, ofSentinels, 0))),
                client(settings, login, database),
                new Records(prefix, database, replicas, aof));
    }

    /** The same for each of the servers alone. */
    public List<RedisSettings> each() {
        return servers.stream()
                .map(one -> new RedisSettings(shown, List.of(one), sentinel, client, records))
                .toList();
    }

    private static int number(String name, String text, int max) {
        if (!text.matches("[0-9]{0,5}") || (!text.isEmpty() && Integer.parseInt(text) > max)) {
            throw StoreUrl.refused(name + " '" + text + "' in the store URL must be a number from 0 to " + max);
        }
        return text.isEmpty() ? 0 : Integer.parseInt(text);
    }

    /** Connecting may take a third of the time. Names in certificates are compared. */
    @SuppressWarnings("deprecation") // its successor takes key stores only, not the PEM files of an SSLContext
    private static JedisClientConfig client(StoreUrl settings, Optional<Login> login, int database) {
        int timeoutMillis = (int)
                settings.duration("timeout", Duration.ofSeconds(2), TIMEOUT_MAX).toMillis();
        DefaultJedisClientConfig.Builder client = DefaultJedisClientConfig.builder()
                .resp2()
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .connectionTimeoutMillis(Math.max(1, timeoutMillis / 3))
                .socketTimeoutMillis(Math.max(1, timeoutMillis))
                .database(database);
        login.ifPresent(who -> client.user(who.user()).password(who.password()));
        settings.tls().map(TlsFiles::context).ifPresent(context -> {
            SSLParameters named = context.getDefaultSSLParameters();
            named.setEndpointIdentificationAlgorithm("HTTPS");
            client.ssl(true).sslSocketFactory(context.getSocketFactory()).sslParameters(named);
        });
        return client.build();
    }

    /** Never with a password, which the client has. */
    @Override
    public String toString() {
        return shown;
    }
}
