// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.servers;

import dev.tenure.redis.servers.RedisServer.Product;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** Six nodes: three primaries, each with a replica. */
public final class RedisCluster implements AutoCloseable {
    private static final int PRIMARIES = 3;
    private static final int SLOTS = 16_384;
    private static final Duration READY_WITHIN = Duration.ofSeconds(30);

    private final List<RedisServer> nodes = new ArrayList<>();

    private RedisCluster() {}

    public static RedisCluster running(Product product) {
        RedisCluster cluster = new RedisCluster();
        try {
            for (int i = 0; i < 2 * PRIMARIES; i++) {
                cluster.nodes.add(
                        RedisServer.running(product, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000"));
            }
            cluster.join();
        } catch (RuntimeException failure) {
            cluster.close();
            throw failure;
        }
        return cluster;
    }

    private void join() {
        RedisServer first = nodes.get(0);
        nodes.forEach(node -> node.ask(client -> client.clusterMeet("127.0.0.1", first.port())));
        for (int i = 0; i < PRIMARIES; i++) {
            int from = SLOTS * i / PRIMARIES;
            int to = SLOTS * (i + 1) / PRIMARIES - 1;
            nodes.get(i).ask(client -> client.clusterAddSlotsRange(from, to));
        }
        await(
                "nodes that know each other",
                node -> node.ask(client -> client.clusterNodes())
                                .lines()
                                .filter(line -> !line.contains("handshake"))
                                .count()
                        == nodes.size());
        for (int i = 0; i < PRIMARIES; i++) {
            String primary = nodes.get(i).ask(client -> client.clusterMyId());
            nodes.get(PRIMARIES + i).ask(client -> client.clusterReplicate(primary));
        }
        await(
                "a cluster that is whole",
                node -> node.ask(client -> client.clusterInfo()).contains("cluster_state:ok"));
        Awaitility.await("replicas that follow")
                .atMost(READY_WITHIN)
                .until(() -> nodes.subList(PRIMARIES, nodes.size()).stream()
                        .allMatch(node -> node.info("master_link_status").equals("up")));
    }

    private void await(String what, Predicate<RedisServer> condition) {
        Awaitility.await(what)
                .atMost(READY_WITHIN)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> nodes.stream().allMatch(condition));
    }

    /** The store URL of Tenure that names some of the nodes. */
    public String url() {
        return "redis://" + nodes.stream().map(RedisServer::address).collect(Collectors.joining(","));
    }

    /** The node that has the keys with this hash tag, as the cluster sees it now. */
    public RedisServer primaryOf(String tag) {
        long slot = nodes.get(0).ask(client -> client.clusterKeySlot("{" + tag + "}"));
        return nodes.stream()
                .filter(RedisServer::isRunning)
                .filter(node -> node.info("role").equals("master"))
                .filter(node -> node.ask(client -> client.clusterCountKeysInSlot((int) slot)) > 0)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
