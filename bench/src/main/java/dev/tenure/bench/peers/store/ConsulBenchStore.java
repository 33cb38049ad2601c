// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.consul.servers.ConsulNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Servers of Consul, with their disks synced as Consul does by default. */
public final class ConsulBenchStore extends UncountedStore {
    private final ConsulCluster cluster;
    private final List<ConsulNode> leaderFirst;

    public ConsulBenchStore(int servers) {
        cluster = ConsulCluster.start(servers, "");
        leaderFirst = new ArrayList<>(cluster.nodes());
        ConsulNode leader = cluster.leader();
        leaderFirst.remove(leader);
        leaderFirst.add(0, leader);
    }

    @Override
    public String name() {
        return "Consul x " + leaderFirst.size();
    }

    @Override
    public List<Kind> peers() {
        return List.of(Kind.CONSUL_LOCK);
    }

    @Override
    public String address(Kind kind) {
        return asKnownTo(kind, cluster.endpoints());
    }

    @Override
    public String address(Kind kind, int server) {
        return asKnownTo(kind, leaderFirst.get(server % leaderFirst.size()).endpoint());
    }

    private static String asKnownTo(Kind kind, String endpoints) {
        return kind == Kind.TENURE ? "consul://" + endpoints + "/tenure" : endpoints;
    }

    /** Consul counts twice the TTL: as much again as the TTL of {@code kill}, and a moment to tell. */
    @Override
    public Optional<Duration> expiryDelayMax() {
        return Optional.of(Duration.ofMillis(5500));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
