package dev.tenure.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisAccessControlException;

/**
 * What a server says of itself, as far as this client may ask.
 *
 * @param facts by their names in the answer to {@code INFO}
 */
record ServerInfo(Map<String, String> facts) {
    private static final Pattern FACT = Pattern.compile("(?m)^([a-z_0-9]+):(.*?)\\r?$");
    private static final Pattern VERSION = Pattern.compile("([0-9]+)\\.([0-9]+).*");
    private static final int MAJOR_MIN = 6;
    private static final int MINOR_MIN = 2;

    static ServerInfo of(Jedis server) {
        try {
            return parse(server.info());
        } catch (JedisAccessControlException notAllowed) {
            return new ServerInfo(Map.of());
        }
    }

    static ServerInfo parse(String text) {
        Map<String, String> facts = new HashMap<>();
        Matcher fact = FACT.matcher(text);
        while (fact.find()) {
            facts.put(fact.group(1), fact.group(2));
        }
        return new ServerInfo(facts);
    }

    private String fact(String name) {
        return facts.getOrDefault(name, "");
    }

    String version() {
        return fact("redis_version");
    }

    boolean isTooOld() {
        Matcher version = VERSION.matcher(version());
        if (!version.matches()) {
            return false;
        }
        int major = Integer.parseInt(version.group(1));
        return major < MAJOR_MIN || (major == MAJOR_MIN && Integer.parseInt(version.group(2)) < MINOR_MIN);
    }

    /** The node of a cluster says by itself where the primary of a key is. */
    boolean isReplica() {
        return fact("role").equals("slave") && !fact("cluster_enabled").equals("1");
    }

    /** Records have no time to live in Redis, so that only these policies remove them. */
    boolean mayEvict() {
        return fact("maxmemory_policy").startsWith("allkeys") && !fact("maxmemory").equals("0");
    }

    /** Another one says that writes may be lost: of another process, or of one that was a replica meanwhile. Empty if not known. */
    String history() {
        return fact("run_id") + fact("master_replid");
    }
}
