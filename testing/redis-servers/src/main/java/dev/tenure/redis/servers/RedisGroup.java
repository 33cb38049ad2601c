// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.servers;

import dev.tenure.redis.servers.RedisServer.Product;
import dev.tenure.support.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** One primary with its replicas, and three sentinels that promote a replica when the primary is silent for a second. */
public final class RedisGroup implements AutoCloseable {
    public static final String MASTER = "main";

    private static final int SENTINELS = 3;
    private static final Duration READY_WITHIN = Duration.ofSeconds(30);

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisGroup() {}

    public static RedisGroup running(Product product, int replicas) {
        RedisGroup group = new RedisGroup();
        try {
            group.start(product, replicas);
        } catch (RuntimeException failure) {
            group.close();
            throw failure;
        }
        return group;
    }

    private void start(Product product, int replicas) {
        RedisServer primary = RedisServer.running(product);
        servers.add(primary);
        for (int i = 0; i < replicas; i++) {
            servers.add(RedisServer.running(product, "--replicaof", "127.0.0.1", Integer.toString(primary.port())));
        }
        await(
                "replicas that follow",
                () -> primary.info("connected_slaves").equals(Integer.toString(replicas))
                        && IntStream.range(0, replicas)
                                .allMatch(i -> primary.info("slave" + i).contains("state=online")));
        List<String> lines = List.of(
                "sentinel monitor " + MASTER + " 127.0.0.1 " + primary.port() + " 2",
                "sentinel down-after-milliseconds " + MASTER + " 1000",
                "sentinel failover-timeout " + MASTER + " 3000");
        for (int port : Ports.free(SENTINELS)) {
            sentinels.add(RedisServer.sentinel(product, port, lines));
        }
        await(
                "sentinels that know each other and the replicas",
                () -> sentinels.stream().allMatch(sentinel -> {
                    Map<String, String> known = sentinel.ask(client -> client.sentinelMaster(MASTER));
                    return Integer.toString(SENTINELS - 1).equals(known.get("num-other-sentinels"))
                            && Integer.toString(replicas).equals(known.get("num-slaves"));
                }));
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(READY_WITHIN)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(condition);
    }

    /** The store URL of Tenure that names the sentinels. */
    public String url() {
        return "redis://" + sentinels.stream().map(RedisServer::address).collect(Collectors.joining(",")) + "?sentinel="
                + MASTER;
    }

    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /** As the sentinels see it. */
    public RedisServer primary() {
        String port = sentinels
                .get(0)
                .ask(client -> client.sentinelGetMasterAddrByName(MASTER))
                .get(1);
        return servers.stream()
                .filter(server -> Integer.toString(server.port()).equals(port))
                .findFirst()
                .orElseThrow();
    }

    /** Until all servers run, and all but the primary follow it; one that comes back may think that it is still the primary. */
    public void awaitReplicated() {
        await("servers that follow the primary", () -> {
            RedisServer primary = primary();
            String port = Integer.toString(primary.port());
            for (RedisServer server : servers) {
                if (server != primary && !server.info("role").equals("slave")) {
                    server.ask(client -> client.replicaof("127.0.0.1", primary.port()));
                }
            }
            return primary.info("role").equals("master")
                    && servers.stream()
                            .filter(server -> server != primary)
                            .allMatch(server -> server.info("master_port").equals(port)
                                    && server.info("master_link_status").equals("up"));
        });
    }

    /** The replicas stand still, and a failover loses what is written from now on. */
    public void stopReplication() {
        RedisServer primary = primary();
        followers(primary).forEach(RedisServer::freeze);
        // What is on its way to a server that stands still would be read later: so its connection ends.
        primary.ask(
                client -> client.clientKill(ClientKillParams.clientKillParams().type(ClientType.REPLICA)));
    }

    /** The primary dies, and a replica takes its place. */
    public RedisServer failOver() {
        RedisServer old = primary();
        old.kill();
        followers(old).forEach(RedisServer::goOn);
        await(
                "another primary",
                () -> primary() != old && primary().info("role").equals("master"));
        return primary();
    }

    private List<RedisServer> followers(RedisServer primary) {
        return servers.stream()
                .filter(server -> server != primary && server.isRunning())
                .toList();
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }
}
