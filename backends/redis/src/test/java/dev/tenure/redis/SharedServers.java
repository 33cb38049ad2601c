// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.redis.servers.RedisServer;
import dev.tenure.redis.servers.RedisServer.Product;
import java.util.EnumMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One server of each product for all tests that only need a prefix of their own; they end with the JVM. */
final class SharedServers {
    /** Terms that begin and end are what the tests are about. Held, or it would be forgotten. */
    private static final Logger LOG = Logger.getLogger("dev.tenure");

    private static final Map<Product, RedisServer> RUNNING = new EnumMap<>(Product.class);

    static {
        LOG.setLevel(Level.SEVERE);
    }

    private SharedServers() {}

    static synchronized RedisServer of(Product product) {
        return RUNNING.computeIfAbsent(product, SharedServers::start);
    }

    private static RedisServer start(Product product) {
        RedisServer server = RedisServer.running(product);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        return server;
    }

    /** The URL of this server, with a prefix of its own for this namespace. */
    static String url(Product product, String namespace) {
        return of(product).url() + "?prefix=" + namespace;
    }
}
