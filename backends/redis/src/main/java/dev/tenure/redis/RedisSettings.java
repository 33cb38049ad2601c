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
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/**
 * A store URL, read.
 *
 * @param shown the URL as people may see it
 * @param user as whom the server knows this client
 * @param servers the server, some nodes of a cluster, or the sentinels
 * @param sentinel empty if the servers are no sentinels
 */
record RedisSettings(
        String shown,
        String user,
        List<HostAndPort> servers,
        Optional<Sentinel> sentinel,
        JedisClientConfig client,
        Records records) {
    static final Set<String> OPTIONS =
            Set.of("prefix", "timeout", "sentinel", "sentinel.auth", "replicas", "aof", "tokens");

    private static final String EXAMPLE = "redis://host:6379, or redis://s1,s2,s3?sentinel=NAME";
    private static final String DEFAULT_USER = "default";
    private static final int PORT = 6379;
    private static final int SENTINEL_PORT = 26379;
    private static final int CONNECT_SHARE = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_.:/-]{1,100}");
    private static final Pattern DATABASE = Pattern.compile("(?:/([0-9]{1,5})?)?");
    private static final Pattern COUNT = Pattern.compile("[0-9]");

    /** @param master the name that the sentinels have for the primary */
    record Sentinel(String master, JedisClientConfig client) {}

    /**
     * Where records are, and how many copies a claim waits for.
     *
     * @param aof 1 if a claim waits until the primary has it on its disk
     */
    record Records(String prefix, int database, int replicas, int aof) {
        /** All keys have one hash tag, so that they are on one node of a cluster, and a script can use them. */
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
        return of(url, EXAMPLE);
    }

    static RedisSettings of(BackendUrl url, String example) {
        Map<String, String> options = new HashMap<>(url.options());
        if (url.scheme().equals("rediss")) {
            options.put("tls", "true");
        }
        StoreUrl settings = StoreUrl.of(new BackendUrl(url.scheme(), url.rest(), options), example, OPTIONS);
        Optional<String> master = settings.option("sentinel");
        int port = master.isPresent() ? SENTINEL_PORT : PORT;
        List<HostAndPort> servers = settings.servers(port).stream()
                .map(server -> new HostAndPort(server.host().replaceAll("[\\[\\]]", ""), server.port()))
                .toList();
        Optional<Login> login = settings.login(DEFAULT_USER);
        Records records = records(settings);
        Optional<Login> ofSentinels = settings.flag("sentinel.auth", false) ? login : Optional.empty();
        return new RedisSettings(
                url.toString(),
                login.map(Login::user).orElse(DEFAULT_USER),
                servers,
                master.map(name -> new Sentinel(name, client(settings, ofSentinels, 0))),
                client(settings, login, records.database),
                records);
    }

    private static Records records(StoreUrl settings) {
        if (!DATABASE.matcher(settings.path()).matches()) {
            throw StoreUrl.refused("the path of '" + settings + "' is no database: write redis://host:6379/0, and ?prefix= for"
                    + " the beginning of all keys");
        }
        String prefix = settings.option("prefix").orElse("tenure");
        if (!PREFIX.matcher(prefix).matches()) {
            throw StoreUrl.refused("prefix '" + prefix + "' must have 1 to 100 letters, digits or any of _ . : / -");
        }
        String database = settings.path().replace("/", "");
        return new Records(
                prefix,
                database.isEmpty() ? 0 : Integer.parseInt(database),
                count(settings, "replicas", 9),
                count(settings, "aof", 1));
    }

    private static int count(StoreUrl settings, String name, int max) {
        String text = settings.option(name).orElse("0");
        if (!COUNT.matcher(text).matches() || Integer.parseInt(text) > max) {
            throw StoreUrl.refused("option " + name + " '" + text + "' must be a number from 0 to " + max);
        }
        return Integer.parseInt(text);
    }

    /** Redis waits for no client, so connecting may take a third of the time. Names in certificates are compared. */
    private static JedisClientConfig client(StoreUrl settings, Optional<Login> login, int database) {
        int timeoutMillis = (int) settings.duration("timeout", TIMEOUT, TIMEOUT_MAX).toMillis();
        DefaultJedisClientConfig.Builder client = DefaultJedisClientConfig.builder()
                .resp2()
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .connectionTimeoutMillis(Math.max(1, timeoutMillis / CONNECT_SHARE))
                .socketTimeoutMillis(Math.max(1, timeoutMillis))
                .blockingSocketTimeoutMillis(0)
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
